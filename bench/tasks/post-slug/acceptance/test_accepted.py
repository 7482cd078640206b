from feed import links
from posts import Post
from slugs import slug


def test_slug():
    assert slug("One") == "one"
    assert slug("One Two Three") == "one-two-three"


def test_links():
    assert links([Post(7, "My Day")]) == ["/posts/my-day"]
