"""The benchmark page: the library beside other packages and beside what the machine can do.

python benchmarks/page.py                  # benchmarks/SPEED.md and figures/speed.svg, five minutes
python benchmarks/page.py --output FOLDER  # speed.md and speed.svg there instead

Every comparison runs in a process of its own, with the stated number of threads for both sides.
Results are compared first; if they differ, the program stops and nothing is written. Then both
sides take turns. Memory is that of a process per side.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import statistics
import sys
import time
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, distribution, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from speed_cases import CASES, FAMILIES, WITHOUT, Case, DifferentResultsError
from speed_growth import GROWTHS
from speed_measure import Apart, UnusablePeerError
from speed_small import SIZES, TASKS, Small

from replication.show import style

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "benchmarks/SPEED.md"
FIGURE = ROOT / "figures/speed.svg"
BEGIN, END = "<!-- speed -->", "<!-- end -->"
PACKAGES = ("couplings", "numpy", "scipy", "numba", "pandas")


def version_of(package: str) -> str:
    """Return the version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"


# --- what is measured ---------------------------------------------------------------------------


def compared(number: int, case: Case, threads: int, measure: Any) -> dict[str, Any]:
    """Return a row of the page: a case with a number of threads."""
    row: dict[str, Any] = {"task": case.task, "peer": case.peer, "threads": threads}
    if (release := case.version) is None:
        return {**row, "missing": "not measured: not installed"}
    try:
        found = measure.pair(number, threads)
    except UnusablePeerError as error:
        return {**row, "missing": f"not measured: does not run here ({error})"}
    for side in ("ours", "theirs"):
        row[f"{side}_cpu"], row[f"{side}_wall"] = map(
            statistics.median, zip(*found[side], strict=True)
        )
        row[f"{side}_memory"] = None
    if threads == 1:
        # Two processes at once: nothing is timed meanwhile.
        with ThreadPoolExecutor(2) as pool:
            used = [pool.submit(measure.memory, number, side) for side in ("ours", "theirs")]
            row["ours_memory"], row["theirs_memory"] = (one.result() for one in used)
    # With one thread the processor's seconds, which other programs do not use up.
    clock = 0 if threads == 1 else 1
    row["ratios"] = [
        b[clock] / a[clock] for a, b in zip(found["ours"], found["theirs"], strict=True)
    ]
    return {**row, "rows": case.rows, "agreement": found["agreement"],
            "package": f"{case.package} {release}"}  # fmt: skip


def small(number: int, task: Small, measure: Any) -> dict[str, Any]:
    """Return a row of the table of small calls: the ratio of processor seconds at each size."""
    row: dict[str, Any] = {"task": task.task, "peer": task.peer}
    if (release := task.version) is None:
        return {**row, "missing": "not measured: not installed"}
    found = measure.small(number, task.sizes)
    cells = {}
    for one in found:
        ours, theirs = ([cpu for cpu, _ in one[side]] for side in ("ours", "theirs"))
        ratios = [b / a for a, b in zip(ours, theirs, strict=True)]
        cells[one["rows"]] = statistics.median(ratios), statistics.median(ours)
    return {**row, "cells": cells, "package": f"{task.package} {release}",
            "agreement": found[-1]["agreement"]}  # fmt: skip


def fitted(rows: list[dict[str, Any]], side: int) -> dict[str, tuple[float, float, float]]:
    """Fit exponents of seconds against size.

    Returns
    -------
    dict
        Per axis the slope of all points in logarithms, and the least and largest slope between
        neighbouring ones.
    """
    exponents = {}
    for axis in dict.fromkeys(row["axis"] for row in rows):
        points = [row for row in rows if row["axis"] == axis and side < len(row["seconds"])]
        if not points:
            continue
        size = np.log([row["size"] for row in points])
        seconds = np.log([row["seconds"][side] for row in points])
        steps = np.diff(seconds) / np.diff(size)
        exponents[axis] = (
            float(np.polyfit(size, seconds, 1)[0]), float(steps.min()), float(steps.max())
        )  # fmt: skip
    return exponents


def grown(number: int, measure: Any) -> list[dict[str, Any]]:
    """Return the exponents of a piece of work, ours and the peer's if it is here."""
    growth = GROWTHS[number]
    peer = bool(growth.peer) and find_spec(growth.module) is not None
    rows = measure.growth(number, peer)
    names = ["couplings", growth.peer] if peer else ["couplings"]
    found = [
        {"task": growth.task, "by": name, "exponents": fitted(rows, side),
         "sizes": growth.axes, "base": growth.base}
        for side, name in enumerate(names)
    ]  # fmt: skip
    if growth.peer and not peer:
        found.append({"task": growth.task, "by": growth.peer, "missing": "not installed"})
    return found


def collected(measure: Any, say: Callable[[str], None]) -> dict[str, Any]:
    """Measure everything.

    Raises
    ------
    DifferentResultsError
        If a peer's result is not the same as ours.
    """
    load = [os.getloadavg()[0]]
    families: dict[str, list[dict[str, Any]]] = {family: [] for family in FAMILIES}
    for number, case in enumerate(CASES):
        for threads in case.threads:
            say(f"{number + 1} of {len(CASES)}  {case.name}, threads: {threads}")
            families[case.family].append(compared(number, case, threads, measure))
    for family, task, peer in WITHOUT:
        row = {
            "task": task,
            "peer": peer,
            "threads": 1,
            "missing": "not measured: no copy of it was at hand",
        }
        families[family].append(row)
    smalls = []
    for number, task in enumerate(TASKS):
        say(f"small calls, {number + 1} of {len(TASKS)}  {task.task}: {task.peer}")
        smalls.append(small(number, task, measure))
    growths = []
    for number, growth in enumerate(GROWTHS):
        say(f"growth of {growth.task}")
        growths += grown(number, measure)
    say("limits of the machine")
    limits = measure.limits()
    say("start-up")
    starts = measure.starts()
    load.append(os.getloadavg()[0])
    return {"machine": machine(load), "families": families, "smalls": smalls, "growths": growths,
            "limits": limits, "starts": starts, "installed": installed()}  # fmt: skip


def machine(load: list[float]) -> list[tuple[str, str]]:
    """Say what it was measured on."""
    model = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        lines = information.read_text(encoding="utf-8", errors="replace").splitlines()
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        model = names[0] if names else model
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return [
        ("processor", f"{model}, {os.cpu_count()} CPUs, {memory:.0f} GiB of memory"),
        ("system", f"{platform.system()}, {platform.machine()}"),
        ("load when it began and ended", " and ".join(f"{value:.1f}" for value in load)),
        ("versions", ", ".join([f"Python {platform.python_version()}",
                                *(f"{name} {version_of(name)}" for name in PACKAGES)])),
    ]  # fmt: skip


def installed() -> list[tuple[str, str, float]]:
    """Return package, extra (empty: always) and MB of files of what the library depends on."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {"": project["dependencies"], **project["optional-dependencies"]}
    found: dict[str, tuple[str, str, float]] = {}
    for extra in ("", "arrow", "large", "plot"):
        for line in extras[extra]:
            name = re.match(r"[\w.-]+", line)[0]  # type: ignore[index]
            if name not in found:
                files = distribution(name).files or []
                paths = [path for file in files if (path := Path(file.locate())).is_file()]
                found[name] = name, extra, sum(path.stat().st_size for path in paths) / 1e6
    return list(found.values())


# --- the page -----------------------------------------------------------------------------------


def digits(value: float, unit: float = 1.0) -> str:
    """Three significant digits, without an exponent."""
    scaled = value * unit
    places = 2 - int(np.floor(np.log10(scaled))) if scaled > 0 else 0
    return f"{scaled:,.{min(max(places, 0), 4)}f}"


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """Return a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def spread(ratios: list[float]) -> str:
    """Say from where to where ratios lie, and how many they are."""
    return f"{digits(min(ratios))} to {digits(max(ratios))} ({len(ratios)})"


def family_table(rows: list[dict[str, Any]]) -> str:
    """Return the table of a family, and what was compared below it."""
    head = ["task", "peer", "threads", "rows", "ms of processor, ours / peer", "ms on the clock"]
    head += ["**times ours**", "least to most (turns)", "MiB, ours / peer"]
    body, notes = [], []
    for row in rows:
        first = [row["task"], row["peer"], str(row["threads"])]
        if "missing" in row:
            body.append([*first, row["missing"], *[""] * (len(head) - 4)])
            continue
        ratios = row["ratios"]
        cells = [f"{row['rows']:,}"]
        for what, unit in (("cpu", 1e3), ("wall", 1e3)):
            pair = (digits(row[f"{side}_{what}"], unit) for side in ("ours", "theirs"))
            cells.append(" / ".join(pair))
        cells += [f"**{digits(statistics.median(ratios))}**", spread(ratios)]
        used = (row["ours_memory"], row["theirs_memory"])
        cells.append("" if None in used else " / ".join(map(digits, used)))
        body.append([*first, *cells])
        note = f"- {row['peer']} ({row['package']}): {row['agreement']}."
        if note not in notes:
            notes.append(note)
    return "\n\n".join([markdown(head, body), *(["\n".join(notes)] if notes else [])])


def small_table(rows: list[dict[str, Any]]) -> str:
    """Return the table of small calls."""
    body, notes = [], []
    for row in rows:
        first = [row["task"], row["peer"]]
        if "missing" in row:
            body.append([*first, row["missing"], *[""] * (len(SIZES) - 1)])
            continue
        cells = row["cells"]
        body.append(
            first
            + [
                f"**{digits(cells[n][0])}** ({digits(cells[n][1], 1e3)})" if n in cells else ""
                for n in SIZES
            ]
        )
        notes.append(f"- {row['task']}, {row['peer']} ({row['package']}): {row['agreement']}.")
    head = ["task", "peer", *(f"n = {n:,}" for n in SIZES)]
    return "\n\n".join([markdown(head, body), "\n".join(notes)])


def growth_table(rows: list[dict[str, Any]]) -> str:
    """Return the exponents."""
    body = []
    for row in rows:
        cells = [row["task"], row["by"]]
        if "missing" in row:
            body.append([*cells, row["missing"], "", ""])
            continue
        for axis in ("n", "m", "values"):
            if axis not in row["exponents"]:
                cells.append("")
                continue
            slope, least, most = row["exponents"][axis]
            sizes = row["sizes"][axis]
            cells.append(f"{slope:.2f} ({least:.2f} to {most:.2f}), {sizes[0]:,} to {sizes[-1]:,}")
        body.append(cells)
    return markdown(["work", "by", "n", "m", "values"], body)


def limits_tables(limits: dict[str, Any]) -> str:
    """Return the machine's rates, and the kernels beside them."""
    rates = limits["rates"]
    first = markdown(
        ["limit", "rate"],
        [["copy: read and written", f"{digits(rates['copy'])} GB/s"],
         ["fill: written", f"{digits(rates['fill'])} GB/s"],
         ["popcount: two words joined and counted, innermost cache",
          f"{digits(rates['popcount'])} 10^9 words/s"],
         ["add: single-precision numbers added up, innermost cache",
          f"{digits(rates['add'])} 10^9 numbers/s"],
         ["add double: the same in double precision",
          f"{digits(rates['add double'])} 10^9 numbers/s"]],
    )  # fmt: skip
    body = []
    for row in limits["kernels"]:
        ratios = row["ratios"]
        body.append(
            [row["kernel"], row["limit"], f"{row['amount']:.3g} {row['unit']}",
             digits(row["seconds"], 1e3), f"**{digits(statistics.median(ratios))}**",
             spread(ratios)]
        )  # fmt: skip
    head = ["kernel", "limit", "amount", "ms", "times the limit's time", "least to most"]
    return f"{first}\n\n{markdown(head, body)}"


def start_table(rows: list[dict[str, Any]]) -> str:
    """Return the table of what starts."""
    body = [
        [row["what"], *(f"{statistics.median(row[side]):.2f}" for side in ("cpu", "wall")),
         f"{min(row['wall']):.2f} to {max(row['wall']):.2f} ({len(row['wall'])})", row["says"]]
        for row in rows
    ]  # fmt: skip
    head = ["started", "s of processor", "s on the clock", "least to most (runs)"]
    return markdown([*head, "what it says"], body)


def page_text(found: dict[str, Any]) -> str:
    """Return the generated part of the page."""
    parts = [markdown(["", "measured on"], [list(row) for row in found["machine"]])]
    for family, rows in found["families"].items():
        parts += [f"## {family}", family_table(rows)]
    parts += ["## Small calls", small_table(found["smalls"])]
    parts += ["## Growth", growth_table(found["growths"]), "## The machine's limits",
              limits_tables(found["limits"])]  # fmt: skip
    parts += ["## Start-up", start_table(found["starts"])]
    body = [[name, extra or "always", f"{size:,.0f}"] for name, extra, size in found["installed"]]
    parts += ["## Installation", markdown(["package", "needed with the extra", "MB"], body)]
    return "\n\n".join(parts)


def insert(page: str, text: str) -> str:
    """Put the generated part between its marks."""
    before, _, rest = page.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise SystemExit(f"the page has no {BEGIN} ... {END}")
    return f"{before}{BEGIN}\n{text}\n{END}{after}"


def draw(families: dict[str, list[dict[str, Any]]], svg: Path) -> None:
    """Draw all ratios with their spread, on a logarithmic axis."""
    bars = [
        (family, row) for family, rows in families.items() for row in rows if "missing" not in row
    ]
    labels = [label for _, label in dict.fromkeys((f, row["peer"]) for f, row in bars)]
    places = {key: y for y, key in enumerate(dict.fromkeys((f, row["peer"]) for f, row in bars))}
    figure, (axis,) = style.new_figure(style.PAGE, 0.24 * max(len(places), 1) + 0.9)
    for threads, colour, marker, fill in ((1, style.COLOURS[0], "o", style.COLOURS[0]),
                                          (2, style.COLOURS[1], "s", "white")):  # fmt: skip
        points = [
            (places[f, row["peer"]], row["ratios"]) for f, row in bars if row["threads"] == threads
        ]
        shift = 0.0 if threads == 1 else 0.28
        for place, ratios in points:
            axis.plot([min(ratios), max(ratios)], [place + shift] * 2, "-", color=colour, lw=1.2)
        axis.plot(
            [statistics.median(ratios) for _, ratios in points],
            [place + shift for place, _ in points],
            marker, color=colour, markerfacecolor=fill, markersize=4,
            label="one thread, processor seconds" if threads == 1 else "two threads, wall clock",
        )  # fmt: skip
    axis.axvline(1, color=style.GREY, lw=0.8, ls="--", zorder=0)
    axis.set_xscale("log")
    axis.xaxis.set_major_formatter("{x:g}")
    axis.grid(axis="x")
    axis.set_yticks(range(len(labels)), labels)
    names = [family for family, _ in places]
    for y in range(1, len(names)):
        if names[y] != names[y - 1]:
            axis.axhline(y - 0.36, color=style.LIGHT, lw=0.6)
    for y, family in enumerate(names):
        if y == 0 or names[y - 1] != family:
            axis.text(1.01, y, family, transform=axis.get_yaxis_transform(), va="center")
    axis.set_ylim(len(labels) - 0.2, -0.7)
    axis.set_xlabel("time of the peer / time of couplings: median, least to most")
    if bars:
        axis.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    style.save(figure, svg, "couplings beside other packages")


def write(found: dict[str, Any], page: Path, svg: Path, template: str) -> None:
    """Write the page and the figure."""
    page.write_text(insert(template, page_text(found)), encoding="utf-8")
    draw(found["families"], svg)


def main() -> None:
    """Measure, and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, help="folder, in place of docs and figures")
    options = parser.parse_args()
    begin = time.perf_counter()

    def say(line: str) -> None:
        print(f"{time.perf_counter() - begin:5.0f} s  {line}", flush=True)

    try:
        found = collected(Apart(), say)
    except DifferentResultsError as error:
        sys.exit(f"error: the results are not the same, nothing is written. {error}")
    page, svg = PAGE, FIGURE
    if options.output:
        options.output.mkdir(parents=True, exist_ok=True)
        page, svg = options.output / "speed.md", options.output / "speed.svg"
    write(found, page, svg, PAGE.read_text(encoding="utf-8"))
    say(f"{page}, {svg}")


if __name__ == "__main__":
    main()
