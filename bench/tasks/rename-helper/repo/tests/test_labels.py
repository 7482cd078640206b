from labels import label


def test_label():
    assert label(" News") == "#news"
