"""Benchmarks of plan07, run from the root of a checkout: `python -m bench`. None asserts a time."""
