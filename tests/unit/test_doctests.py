"""The examples in docstrings."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
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


@pytest.mark.parametrize("name", modules())
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples() -> None:
    found = [doctest.testmod(importlib.import_module(name)).attempted for name in modules()]
    assert sum(found) >= 15
