import totals


def test_removed():
    assert not hasattr(totals, "old_total")
