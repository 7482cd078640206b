import mailer


def welcome(user):
    mailer.send(user, "hello")
