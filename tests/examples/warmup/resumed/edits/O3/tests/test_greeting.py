from profiles.greeting import greeting


def test_it_greets():
    assert greeting({"username": "Ada"}) == "Hello Ada"
