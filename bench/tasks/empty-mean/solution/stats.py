def mean(values):
    if not values:
        return None
    return sum(values) / len(values)
