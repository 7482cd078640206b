from shop.pricing import price, total


def receipt(lines):
    rows = []
    for line in lines:
        rows.append(f"{line.name:<12}{line.cents / 100:>8.2f}")
        if line.discount:
            rows.append(f"{'  discount':<12}{(price(line) - line.cents) / 100:>8.2f}")
    return "\n".join([*rows, f"{'total':<12}{total(lines) / 100:>8.2f}"])
