from invoice import line


def test_line():
    assert line("tea", 2) == "tea: 2.00 EUR"
