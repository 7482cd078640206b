from shop.money import per_cent


def test_halves_are_rounded_up():
    assert [per_cent(5, 50), per_cent(4, 50), per_cent(7, 50)] == [3, 2, 4]
