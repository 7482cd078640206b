def parse(value):
    return [int(part) for part in value.split(",")]
