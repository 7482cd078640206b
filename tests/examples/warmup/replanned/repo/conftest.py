"""Its place makes pytest find the packages beside it."""
