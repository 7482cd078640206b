import checks


def create(name, email):
    if not checks.is_name(name):
        raise ValueError(name)
    if not checks.is_email(email):
        raise ValueError(email)
    return {"name": name, "email": email}
