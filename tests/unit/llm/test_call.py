"""What is kept out of errors."""

from __future__ import annotations

import pytest

from plan07.llm.call import Call, masked, model_error, scrubbed


class TestMasked:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("nothing", "nothing"),
            ("", ""),
            ("my-secret-key", "[key]"),
            ("a my-secret-key b my-secret-key c", "a [key] b [key] c"),
            ("my-secre", "[key]"),
            ("my-secr", "my-secr"),
            ("xxret-keyxx", "xxret-keyxx"),
            ("xxcret-keyxx", "xx[key]xx"),
            ("my-secret-keymy-secret-key", "[key]"),
        ],
    )
    def test_parts_of_a_secret_are_masked(self, text: str, expected: str) -> None:
        assert masked(text, ["my-secret-key"], 8, "[key]") == expected

    @pytest.mark.parametrize(
        ("secret", "text", "expected"),
        [
            ("a/b+c=d&e", "a%2Fb%2Bc%3Dd%26e", "[key]"),
            ('line one "q"\nline two', 'line one \\"q\\"\\nline two', "[key]"),
            ('it\'s "q" alone', "'it\\'s \"q\" alone'", "'[key]'"),
            ("none", "there is none", "there is [key]"),
            ("no", "there is no", "there is no"),
            ("", "there is no", "there is no"),
        ],
    )
    def test_escaped_and_short_secrets(self, secret: str, text: str, expected: str) -> None:
        assert masked(text, [secret], 8, "[key]") == expected


def test_an_error_is_scrubbed_everywhere() -> None:
    call = Call("the instructions of the whole thing", "the request of somebody or other", None)
    before = model_error(
        "CODE",
        "my-secret-key was sent with the instructions of the whole thing",
        "wait",
        retryable=True,
        origin="of my-secret-key",
        said="the request of somebody or other",
        status=429,
    )
    found = scrubbed(before, "my-secret-key", call)
    assert found.as_dict()["error"] == {
        "code": "CODE",
        "phase": "model",
        "message": "[key] was sent with [prompt]",
        "fix": "wait",
        "retryable": True,
        "detail": {"origin": "of [key]", "said": "[prompt]", "status": 429},
        "violations": [],
    }
    assert scrubbed(before, "", call._replace(system="", user="")).message == before.message
