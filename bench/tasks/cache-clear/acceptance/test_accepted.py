from cache import Cache
from service import Service


def test_clear():
    cache = Cache()
    cache.get("a", str)
    cache.clear()
    assert cache.get("a", lambda key: "new") == "new"


def test_reload():
    service = Service(lambda key: object())
    first = service.read("a")
    assert service.read("a") is first
    service.reload()
    assert service.read("a") is not first
