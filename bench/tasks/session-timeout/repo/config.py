TIMEOUT = 30


class Config:
    def __init__(self, name):
        self.name = name
