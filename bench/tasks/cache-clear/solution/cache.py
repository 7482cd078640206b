class Cache:
    def __init__(self):
        self.values = {}

    def get(self, key, make):
        if key not in self.values:
            self.values[key] = make(key)
        return self.values[key]

    def clear(self):
        self.values.clear()
