def parse(value):
    if isinstance(value, list):
        return value
    return [int(part) for part in value.split(",")]
