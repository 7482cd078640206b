"""Encoders: evidence of some origin, read into plan07's records.

Each module holds one origin and a function `encode(path, targets)`, registered under its name in
the entry point group `plan07.encoders`.
"""
