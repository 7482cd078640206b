def total(lines):
    """Return the sum in cents."""
    return round(sum(line.cents * (100 - line.discount) / 100 for line in lines))
