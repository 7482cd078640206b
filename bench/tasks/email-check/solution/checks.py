def is_name(text):
    return text.isalpha()


def is_email(text):
    return "@" in text
