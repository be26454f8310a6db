"""What mees_replay prints."""


def table(text):
    """{label: {column: value}} of the episodes, the mean and the deviation."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(" episode"))
    names = lines[start].split()
    rows = (line.split() for line in lines[start + 1:] if line.startswith("  "))
    return {row[0]: dict(zip(names[1:], row[1:])) for row in rows}
