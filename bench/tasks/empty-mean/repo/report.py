from stats import mean


def line(name, values):
    return f"{name}: {mean(values):.1f}"
