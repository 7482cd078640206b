def normalize(value):
    return value.strip().lower()
