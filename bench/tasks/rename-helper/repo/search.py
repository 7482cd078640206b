import text


def find(words, wanted):
    return [word for word in words if text.norm(word) == text.norm(wanted)]
