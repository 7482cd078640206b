from shop.order import Line


def test_a_line_has_no_discount_by_default():
    assert Line("tea", 250).discount == 0
