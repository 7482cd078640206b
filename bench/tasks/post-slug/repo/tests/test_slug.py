from posts import Post


def test_url():
    assert Post(1, "Hello World").url() == "/posts/hello-world"


def test_slug():
    from slugs import slug

    assert slug("A b C") == "a-b-c"
