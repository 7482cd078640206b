"""The tokenizer: real, offline, and a clear word where it is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from plan07.ab import tokens
from plan07.errors import InputError


def test_the_extra_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    tokens.counter.cache_clear()
    with pytest.raises(InputError) as caught:
        tokens.counter()
    assert (caught.value.code, caught.value.fix) == ("EXTRA_MISSING", "pip install 'plan07[ab]'")
    tokens.counter.cache_clear()


def test_a_file_that_is_no_tokenizer(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    file = tmp_path / "tokenizer.json"
    for data in ("{}", "not json"):
        file.write_text(data)
        with pytest.raises(InputError) as caught:
            tokens.counter(str(file))
        assert caught.value.code == "TOKENIZER_UNREADABLE"
        assert str(file) in caught.value.message


def test_a_reply_is_cut_after_so_many_tokens() -> None:
    pytest.importorskip("tokenizers")
    count = tokens.counter()
    text = "one two three four"
    assert count.cut(text, 100) == text
    assert count.cut(text, 2) == "one two"
