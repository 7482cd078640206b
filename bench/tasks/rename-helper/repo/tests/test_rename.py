import text


def test_new_name():
    assert text.normalize(" A ") == "a"


def test_old_name_is_gone():
    assert not hasattr(text, "norm")
