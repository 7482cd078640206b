from shop.pricing import total


def receipt(lines):
    rows = [f"{line.name:<12}{line.cents / 100:>8.2f}" for line in lines]
    return "\n".join([*rows, f"{'total':<12}{total(lines) / 100:>8.2f}"])
