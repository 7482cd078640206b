class Session:
    def __init__(self, config):
        self.config = config

    def expired(self, age):
        return age > self.config.timeout
