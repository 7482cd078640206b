import billing
import mailer
import signup


def test_welcome():
    signup.welcome("ann")
    assert mailer.SENT[-1][:2] == ("ann", "hello")


def test_remind():
    billing.remind("bob")
    assert mailer.SENT[-1][:2] == ("bob", "please pay")
