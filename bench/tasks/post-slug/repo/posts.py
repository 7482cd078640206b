class Post:
    def __init__(self, number, title):
        self.number = number
        self.title = title

    def url(self):
        return f"/posts/{self.number}"
