import totals


def summary(items):
    return f"{len(items)} items, {totals.old_total(items)} in total"
