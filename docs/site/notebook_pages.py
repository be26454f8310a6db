"""Sphinx pages of notebooks: text as Markdown, code as Python, without running anything."""

import json

from myst_parser.parsers.sphinx_ import MystParser


def as_markdown(text):
    """A notebook (JSON) as Markdown."""
    parts = []
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        parts.append(f"```python\n{source}\n```" if cell["cell_type"] == "code" else source)
    return "\n\n".join(parts) + "\n"


class NotebookParser(MystParser):
    """Reads .ipynb files."""

    supported = ("notebook",)

    def parse(self, inputstring, document):
        super().parse(as_markdown(inputstring), document)


def setup(app):
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
