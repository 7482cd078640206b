def links(posts):
    return [post.url() for post in posts]
