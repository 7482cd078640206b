from service import Service


def test_reload():
    asked = []
    service = Service(lambda key: asked.append(key) or key.upper())
    service.read("a")
    service.reload()
    service.read("a")
    assert asked == ["a", "a"]
