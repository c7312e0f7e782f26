# SPDX-License-Identifier: Apache-2.0
"""What the pictures of timeline_svg.py and bench_svg.py share: the frame of an SVG file, texts,
lines, colours for light and dark pages."""
import html
import re

WIDTH = 1200
FONT = "font-family='DejaVu Sans,Helvetica,Arial,sans-serif'"
LETTER = 6.3  # width of one at 11 px
# Class: what it colours, on light pages, on dark pages. Text on a coloured box is dark on both.
CLASSES = {"page": ("fill", "#ffffff", "#0d1117"), "ink": ("fill", "#22303c", "#e6edf3"),
           "pale": ("fill", "#68757f", "#9aa6b2"),
           "label": ("fill", "#22303c", "#22303c"), "wait": ("fill", "#e3e6ea", "#3b4653"),
           "area": ("fill", "#f4f6f8", "#161d25"),
           "box": ("stroke", "#ffffff", "#0d1117"), "grid": ("stroke", "#e3e6ea", "#2b3440"),
           "submit": ("stroke", "#8a97a3", "#8a97a3"),
           "wake": ("stroke", "#d62839", "#ff6b6b"), "wake-end": ("fill", "#d62839", "#ff6b6b"),
           "submit-end": ("fill", "#8a97a3", "#8a97a3")}


def escaped(what):
    """For an SVG file; XML has no way to write control characters."""
    forbidden = r"[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]"
    return re.sub(forbidden, "\ufffd", html.escape(what))


def style():
    light, dark = (
        "".join(f".{name}{{{kind}:{colours[page]}}}" for name, (kind, *colours) in CLASSES.items())
        for page in (0, 1))
    return f"<style>{light}\n@media (prefers-color-scheme:dark){{{dark}}}</style>"


def text(x, y, what, size=12, anchor="start", weight="normal", kind="ink", fill=None):
    """`fill`: a colour for both kinds of pages, instead of that of the class."""
    colour = f"fill='{fill}'" if fill else f"class='{kind}'"
    more = (f" text-anchor='{anchor}'" if anchor != "start"
            else "") + (f" font-weight='{weight}'" if weight != "normal" else "")
    return f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}'{more} {colour}>{escaped(what)}</text>"


def line(x1, y1, x2, y2, kind="grid", more=""):
    return f"<line x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}' class='{kind}'{more}/>"


def whole(height, title, description, body):
    """The file: an image with a title and a description for readers who do not see it."""
    return "\n".join([
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{height}' viewBox='0 0 "
        f"{WIDTH} {height}' {FONT} "
        "role='img' aria-labelledby='title description'>",
        "<!-- SPDX-License-Identifier: Apache-2.0 -->",
        f"<title id='title'>{escaped(title)}</title>",
        f"<desc id='description'>{escaped(description)}</desc>", style(),
        "<rect width='100%' height='100%' class='page'/>", *body, "</svg>", ""])
