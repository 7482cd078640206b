def total(lines):
    """Return the sum in cents."""
    return sum(line.cents for line in lines)
