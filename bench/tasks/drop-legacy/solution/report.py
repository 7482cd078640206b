import totals


def summary(items):
    return f"{len(items)} items, {totals.total(items)} in total"
