TIMEOUT = 30


class Config:
    def __init__(self, name, timeout=TIMEOUT):
        self.name = name
        self.timeout = timeout
