"""Write the measured needs of every rule into the profiles of clusters.

    python workflow/scripts/resources.py results/full/benchmarks results/quick/benchmarks

Snakemake measures time and memory of every job (``benchmark:``). A rule asks for 1.5 times its
largest memory, rounded up to 100 MB, and for 3 times its longest time plus a minute, rounded up to
minutes. The minute covers the start of Snakemake and the compilation of kernels. A job that ended
before its memory was measured does not count for memory. Present values are never lowered, because
runs differ in what they compute.
"""

from __future__ import annotations

import csv
import math
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
MEMORY, TIME, START_SECONDS = 1.5, 3.0, 60
START = "set-resources:\n"
RULES = {"experiments": "experiment", "timings": "timing"}
SAID = re.compile(r"^  (\w+):  # (\d+) jobs: up to (\d+) s, (\d+) MB$", re.MULTILINE)
# Every job of these must have the node to itself.
ALONE = {"timing": "--exclusive"}


def rule_of(path: Path, folder: Path) -> str:
    """Return the rule of a benchmark file."""
    name = path.relative_to(folder).parts[0]
    return RULES.get(name, name)


def measured(folders: Sequence[Path]) -> Iterator[tuple[str, float, float]]:
    """Yield rule, seconds and megabytes of every job; NaN where nothing was measured."""
    for folder in folders:
        for path in sorted(folder.rglob("*.tsv")):
            with path.open(encoding="utf-8", newline="") as stream:
                for row in csv.DictReader(stream, delimiter="\t"):
                    values = (
                        math.nan if row[name] in ("NA", "-", "") else float(row[name])
                        for name in ("s", "max_rss")
                    )
                    yield rule_of(path, folder), *values


def resources(folders: Sequence[Path], known: str = "") -> str:
    """Return the block of a profile, as YAML, where `known` is the present one."""
    seconds: dict[str, list[float]] = defaultdict(list)
    memory: dict[str, list[float]] = defaultdict(list)
    for rule, s, mb in measured(folders):
        seconds[rule].append(s)
        memory[rule].append(mb)
    jobs = {rule: len(found) for rule, found in seconds.items()}
    for rule, *before in SAID.findall(known):
        n, s, mb = map(int, before)
        jobs[rule] = max(jobs.get(rule, 0), n)
        seconds[rule].append(s)
        memory[rule].append(mb)
    lines = []
    for rule in sorted(seconds):
        longest = max(seconds[rule])
        largest = max((mb for mb in memory[rule] if not math.isnan(mb)), default=0.0)
        mb = max(200, math.ceil(MEMORY * largest / 100) * 100)
        minutes = math.ceil((TIME * longest + START_SECONDS) / 60)
        lines.append(
            f"  {rule}:  # {jobs[rule]} jobs: up to {longest:.0f} s, {largest:.0f} MB\n"
            f"    mem_mb: {mb}\n    runtime: {minutes}\n"
        )
        if rule in ALONE:
            lines.append(f"    slurm_extra: \"'{ALONE[rule]}'\"\n")
    return "".join(lines)


def main(folders: Sequence[str]) -> None:
    """Rewrite the end of both profiles."""
    if not folders or not all(Path(folder).is_dir() for folder in folders):
        sys.exit(f"error: name folders of benchmarks, as {ROOT.name}/results/full/benchmarks")
    path = ROOT / "profiles/slurm/config.yaml"
    known = path.read_text("utf-8").partition(START)[2]
    block = resources([Path(folder) for folder in folders], known)
    for name in ("slurm", "kubernetes"):
        path = ROOT / "profiles" / name / "config.yaml"
        head, start, _ = path.read_text("utf-8").partition(START)
        text = (
            block
            if name == "slurm"
            else "".join(line for line in block.splitlines(keepends=True) if "slurm" not in line)
        )
        path.write_text(head + start + text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
