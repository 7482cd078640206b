import text


def label(value):
    return "#" + text.norm(value)
