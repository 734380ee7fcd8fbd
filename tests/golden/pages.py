"""Golden pages: texts of tables and figures, short enough to be looked at."""

import hashlib
import re

import numpy as np
from matplotlib.colors import to_hex, to_rgba_array
from matplotlib.text import Text
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

LEFT_OUT = "left out by limits.datasets"
CSV, MARKDOWN = 3_000, 12_000
"""Characters of a table from which on a golden page shows a part of its rows."""


class Page(SingleFileSnapshotExtension):
    """A golden file that the site of a repository shows."""

    file_extension = "md"
    _write_mode = WriteMode.TEXT


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def page(head, text):
    return f"{head}\n\n```\n{text}```\n"


def condensed(text, size, mark=""):
    """A text without most rows of a long table, and a digest of all of it.

    Rows of data sets outside the miniature run go first; numbers have six digits.
    """
    text = re.sub(r"-?\d+\.\d{6,}(e-?\d+)?", lambda one: f"{float(one[0]):.6g}", text)
    lines = [line for line in text.splitlines(keepends=True) if LEFT_OUT not in line]
    rows = [i for i, line in enumerate(lines) if line.startswith(mark)]
    step = -(-sum(len(lines[i]) for i in rows) // size)
    thinned = set(rows[2:]) - set(rows[2::step])
    shown = [line for i, line in enumerate(lines) if i not in thinned]
    return "".join([*shown, f"\n{len(rows)} rows: {digest(text)}\n"])


def described(figure, title):
    """What can be read in a figure, and digests of what each of its axes draws, and how."""
    lines = [title, "{:.4g} by {:.4g} inches".format(*figure.get_size_inches())]
    for axes in figure.axes:
        words = [one.get_text() for one in axes.findobj(Text)]
        lines.append(" | ".join(word.replace("\n", " ") for word in words if word.strip()))
        rulers = (axis.get_gridlines()[:1] for axis in (axes.xaxis, axes.yaxis))
        grids = [one.get_visible() for ruler in rulers for one in ruler]
        looks = [(to_hex(one.get_color()), one.get_ls(), one.get_marker()) for one in axes.lines]
        filled = [one.get_facecolor() for one in (*axes.patches, *axes.collections)]
        looks += [np.round(to_rgba_array(one), 2).tolist() for one in filled]
        numbers = [line.get_xydata() for line in axes.lines]
        numbers += [one.get_path().vertices for one in axes.patches]
        numbers += [np.asarray(one.get_offsets()) for one in axes.collections]
        rounded = [[f"{number:.5g}" for number in np.ravel(one)] for one in numbers]
        lines.append(f"{len(rounded)} shapes: {digest(str(rounded))}")
        lines.append(f"grids {grids}, colours and lines: {digest(str(looks))}")
    words = [one.get_text() for one in figure.texts]
    return "\n".join([*lines, *words]) + "\n"
