def norm(value):
    return value.strip().lower()
