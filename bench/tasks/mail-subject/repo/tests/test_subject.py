import billing
import mailer
import signup


def test_welcome_subject():
    signup.welcome("ann")
    assert mailer.SENT[-1] == ("ann", "hello", "Welcome")


def test_remind_subject():
    billing.remind("bob")
    assert mailer.SENT[-1] == ("bob", "please pay", "Reminder")
