def to_text(rows):
    return "\n".join(" ".join(row) for row in rows)
