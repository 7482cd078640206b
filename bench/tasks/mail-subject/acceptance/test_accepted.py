import billing
import mailer
import pytest
import signup


def test_subject_is_required():
    with pytest.raises(TypeError):
        mailer.send("ann", "hello")


def test_subjects():
    signup.welcome("eve")
    billing.remind("eve")
    assert mailer.SENT[-2:] == [("eve", "hello", "Welcome"), ("eve", "please pay", "Reminder")]
