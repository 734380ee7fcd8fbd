import re
import xml.etree.ElementTree as ET

import pytest

from replication.errors import UserError
from replication.files import write_rows
from replication.show import figures
from replication.show.style import settled

METHODS = [
    {"id": "m", "label": "DILCA_M", "fixed": {"sigma": 0.5}},
    {"id": "rr", "label": "DILCA_RR", "fixed": None},
]
BASE = {"paper": "dilca", "name": "DILCA", "artefact": "fig03", "label": "Fig. 3"}
BASE |= {"readings": ["reconciled", "literal"], "methods": METHODS}


def quality_row(dataset, method, reading, verdict, value):
    return {
        "dataset": dataset,
        "printed_name": dataset.capitalize(),
        "method": method,
        "label": {"m": "DILCA_M", "rr": "DILCA_RR"}[method],
        "reading": reading,
        "printed_value": "0.5",
        "reproduced": value,
        "spread_min": value and "0.3",
        "spread_max": value and "0.7",
        "verdict": verdict,
    }


QUALITY = [
    quality_row("vote", "m", "reconciled", "exact", "0.5"),
    quality_row("vote", "m", "printed", "differs", "0.1"),
    quality_row("vote", "m", "fixed", "differs", "0.4"),
    quality_row("vote", "rr", "reconciled", "differs", "0.6"),
    quality_row("adult", "m", "reconciled", "not comparable", "0.6"),
    quality_row("adult", "rr", "reconciled", "not comparable", "0.6"),
    quality_row("car", "m", "reconciled", "not run", ""),
    quality_row("car", "rr", "reconciled", "not run", ""),
]
CURVES = [
    {
        "dataset": name,
        "printed_name": name.capitalize(),
        "sigma": str(sigma / 10),
        **{key: str(base + step * sigma) for key in ("eq5", "inverse", "nmi")},
        **{f"{key}_plotted": plotted for key in ("eq5", "inverse", "nmi")},
    }
    for name, base, step, plotted in (
        ("vote", 0.2, 0.05, "yes"),
        ("titanic", 0.21, 0.05, "yes"),
        ("car", 0.9, 0.001, "no"),
    )
    for sigma in range(11)
]
CONTEXTS = [
    {
        "dataset": name,
        "printed_name": name.capitalize(),
        "metric": metric,
        "reading": reading,
        "printed_value": "2.5",
        "reproduced": value,
        "verdict": verdict,
    }
    for name, verdict, value in (("vote", "exact", "2.5"), ("car", "not run", ""))
    for metric in ("orig_attributes", "mean_context_size", "sd_context_size")
    for reading in ("reconciled", "literal")
]
CASES = [
    pytest.param({"kind": "quality", "score": "purity"}, QUALITY, id="quality"),
    pytest.param({"kind": "sigma_curves"}, CURVES, id="sigma_curves"),
    pytest.param({"kind": "context_sizes"}, CONTEXTS, id="context_sizes"),
]


@pytest.mark.parametrize(("spec", "rows"), CASES)
def test_the_step_writes_the_same_bytes_twice(tmp_path, spec, rows):
    table = tmp_path / "table.csv"
    write_rows(table, list(rows[0]), rows)
    written = []
    for run in ("one", "two"):
        svg = tmp_path / f"{run}.svg"
        assert figures.run(BASE | spec, table, svg) == 0
        written.append((svg.read_bytes(), svg.with_suffix(".pdf").read_bytes()))
    assert written[0] == written[1]
    svg, pdf = written[0]
    root = ET.fromstring(svg)
    assert root.tag.endswith("svg")
    texts = [one.text or "" for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert any("DILCA, Fig. 3: " in one for one in texts)
    assert b"Date" not in svg.replace(b"DateTime", b"")
    assert pdf.startswith(b"%PDF")
    assert b"CreationDate" not in pdf


@pytest.mark.parametrize(("spec", "rows"), CASES)
def test_no_two_texts_overlap(spec, rows):
    from matplotlib.text import Text

    figure, _ = figures.draw(BASE | spec, rows)
    figure.draw_without_rendering()
    boxes = [
        # the text alone: an annotation counts its leader line as well
        (one.get_text(), Text.get_window_extent(one))
        for one in figure.findobj(Text)
        # numbers are tick labels, some of them outside the limits and not drawn
        if re.search(r"[^−.\d]", one.get_text()) and one.get_visible() and not one.get_rotation()
    ]
    page = figure.bbox
    for i, (text, box) in enumerate(boxes):
        assert page.x0 <= box.x0, text
        assert box.x1 <= page.x1, text
        assert page.y0 <= box.y0, text
        assert box.y1 <= page.y1, text
        for other, other_box in boxes[i + 1 :]:
            assert not box.overlaps(other_box), (text, other)


def test_an_unknown_kind_is_refused():
    with pytest.raises(UserError, match="poem"):
        figures.draw(BASE | {"kind": "poem"}, [])


def test_ids_and_last_digits_do_not_depend_on_the_processor():
    one, other = (
        f'<path id="m{name}" d="M 43.{end} 1.5"/><use xlink:href="#m{name}" x="2.0"/>'
        f'<g clip-path="url(#p{name})" transform="scale(0.015625)"/><clipPath id="p{name}"/>'
        for name, end in (("0a1b2c3d4e", "892427"), ("ffffffffff", "892428"))
    )
    assert settled(one) == settled(other)
    assert settled(one) == (
        '<path id="shape_0" d="M 43.892 1.5"/><use xlink:href="#shape_0" x="2.0"/>'
        '<g clip-path="url(#shape_1)" transform="scale(0.015625)"/><clipPath id="shape_1"/>'
    )
