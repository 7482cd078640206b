import export


def run(form, rows):
    if form == "text":
        return export.to_text(rows)
    raise ValueError(form)
