def is_name(text):
    return text.isalpha()
