import mailer


def remind(user):
    mailer.send(user, "please pay", "Reminder")
