from profiles.greeting import greeting


def test_it_greets():
    assert greeting({"user_name": "Ada"}) == "Hello Ada"
