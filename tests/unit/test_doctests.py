"""The examples in docstrings."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from functools import cache
from types import ModuleType

import plan07_encoders
import pytest

import plan07


def modules() -> list[str]:
    packages: list[ModuleType] = [plan07, plan07_encoders]
    return [
        each.name
        for package in packages
        for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if not each.name.endswith("__main__")
    ]


@cache
def tried(name: str) -> doctest.TestResults:
    return doctest.testmod(importlib.import_module(name))


@pytest.mark.parametrize("name", modules())
def test_examples(name: str) -> None:
    assert tried(name).failed == 0


def test_there_are_examples() -> None:
    assert sum(tried(name).attempted for name in modules()) >= 15
