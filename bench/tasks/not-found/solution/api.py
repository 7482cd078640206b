import errors
import store


def show(key):
    try:
        return 200, store.get(key)
    except errors.NotFound:
        return 404, "not found"
