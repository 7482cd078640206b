import export


def run(form, rows):
    if form == "text":
        return export.to_text(rows)
    if form == "csv":
        return export.to_csv(rows)
    raise ValueError(form)
