from cache import Cache


class Service:
    def __init__(self, load):
        self.load = load
        self.cache = Cache()

    def read(self, key):
        return self.cache.get(key, self.load)
