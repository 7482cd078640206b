def per_cent(cents, share):
    """Return a share in per cent of an amount, halves rounded up."""
    return (cents * share + 50) // 100
