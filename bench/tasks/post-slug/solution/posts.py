from slugs import slug


class Post:
    def __init__(self, number, title):
        self.number = number
        self.title = title

    def url(self):
        return "/posts/" + slug(self.title)
