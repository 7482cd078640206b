import text


def find(words, wanted):
    return [word for word in words if text.normalize(word) == text.normalize(wanted)]
