"""Tools for people who write rules: read, check, test, explain, change and pack rule files."""
