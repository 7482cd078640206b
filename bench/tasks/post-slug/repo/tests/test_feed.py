from feed import links
from posts import Post


def test_links():
    found = links([Post(1, "a"), Post(2, "b")])
    assert [link.startswith("/posts/") for link in found] == [True, True]
