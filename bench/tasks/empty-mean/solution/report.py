from stats import mean


def line(name, values):
    found = mean(values)
    if found is None:
        return f"{name}: n/a"
    return f"{name}: {found:.1f}"
