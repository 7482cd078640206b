import checks


def create(name, email):
    if not checks.is_name(name):
        raise ValueError(name)
    return {"name": name, "email": email}
