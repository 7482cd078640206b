import store


def show(key):
    return 200, store.get(key)
