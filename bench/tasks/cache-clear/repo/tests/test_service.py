from service import Service


def test_read_once():
    asked = []
    service = Service(lambda key: asked.append(key) or key.upper())
    assert [service.read("a"), service.read("a")] == ["A", "A"]
    assert asked == ["a"]
