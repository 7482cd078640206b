SENT = []


def send(to, body, subject):
    SENT.append((to, body, subject))
