import text


def label(value):
    return "#" + text.normalize(value)
