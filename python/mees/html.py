"""One self-contained HTML page: text, tables, images and videos, all embedded."""

from __future__ import annotations

import base64
from html import escape
from io import BytesIO

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1b1b1b; background: #fff;
       max-width: 1400px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; }
h2 { font-size: 1.2rem; margin-top: 2.4rem; border-bottom: 1px solid #ccc; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .45rem; border-bottom: 1px solid #ddd; text-align: left;
         vertical-align: top; }
th { border-bottom: 2px solid #888; }
td.number, th.number { text-align: right; }
figure { margin: 1rem 0; display: inline-block; vertical-align: top; max-width: 100%; }
figcaption { font-size: 13px; color: #444; max-width: 60rem; }
img, video { max-width: 100%; height: auto; }
.note { font-size: 13px; color: #444; }
"""


class Page:
    """Collects sections and returns the complete document; every string passed in is escaped."""

    def __init__(self, title):
        self.title = title
        self._parts = [f"<h1>{escape(title)}</h1>"]

    def heading(self, text):
        self._parts.append(f"<h2>{escape(text)}</h2>")

    def paragraph(self, text, kind="note"):
        self._parts.append(f'<p class="{kind}">{escape(text)}</p>')

    def table(self, header, rows):
        """Rows of strings; columns whose cells all start like a number are right-aligned."""
        numeric = [all(_is_number(row[i]) for row in rows) for i in range(len(header))]

        def line(cells, tag):
            return "".join(
                f"<{tag}{' class=number' if right else ''}>{escape(cell)}</{tag}>"
                for cell, right in zip(cells, numeric)
            )

        body = "\n".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
        self._parts.append(
            f'<div class="scroll"><table><thead><tr>{line(header, "th")}</tr></thead>'
            f"<tbody>\n{body}\n</tbody></table></div>"
        )

    def figure(self, figure, caption):
        """A matplotlib figure as an embedded PNG, scaled so that its font matches the page."""
        stream = BytesIO()
        figure.savefig(stream, format="png", dpi=140)
        width = round(92 * figure.get_figwidth())
        image = data_address("image/png", stream.getvalue())
        self._parts.append(
            f'<figure style="width:{width}px"><img src="{image}" alt="{escape(caption)}">'
            f"<figcaption>{escape(caption)}</figcaption></figure>"
        )

    def video(self, path, media_type, caption):
        """A video or animated image, embedded."""
        address = data_address(media_type, path.read_bytes())
        if media_type.startswith("video/"):
            shown = f'<video controls loop muted playsinline src="{address}"></video>'
        else:
            shown = f'<img src="{address}" alt="{escape(caption)}">'
        self._parts.append(
            f'<figure style="width:560px">{shown}'
            f"<figcaption>{escape(caption)}</figcaption></figure>"
        )

    def text(self) -> str:
        body = "\n".join(self._parts)
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(self.title)}</title>\n<style>{STYLE}</style>\n</head>\n"
            f"<body>\n{body}\n</body>\n</html>\n"
        )


def data_address(media_type, content) -> str:
    """The content as a data: address, so that the page needs no other file."""
    return f"data:{media_type};base64,{base64.b64encode(content).decode('ascii')}"


def _is_number(text):
    return text[:1].isdigit() or text[:2].strip("-.")[:1].isdigit()
