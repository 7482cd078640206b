from ids import parse

ROWS = {1: "one", 2: "two", 3: "three"}


def fetch(value):
    return [ROWS[number] for number in parse(value)]
