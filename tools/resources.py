"""Write the measured needs of every rule into the profiles of clusters.

    python tools/resources.py results/full/benchmarks results/quick/benchmarks

Snakemake measures time and memory of every job (``benchmark:``). A rule asks for 1.5 times its
largest memory, rounded up to 100 MB, and for 3 times its longest time plus a minute, rounded up to
minutes. The minute covers the start of Snakemake and the compilation of kernels. A job that ended
before its memory was measured does not count for memory. Present values are never lowered, because
runs differ in what they compute.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parents[1]
MEMORY, TIME, START_SECONDS = 1.5, 3.0, 60
START = "set-resources:\n"
RULES = {"experiments": "experiment", "timings": "timing"}
SAID = re.compile(r"^  (\w+):  # (\d+) jobs: up to (\d+) s, (\d+) MB$", re.MULTILINE)
# Every job of these must have the node to itself.
ALONE = {"timing": "--exclusive"}


def measured(folders: Sequence[Path]) -> pd.DataFrame:
    """Return the jobs of each rule, their longest time (s) and largest memory (MB)."""
    rows = [
        (path.relative_to(folder).parts[0], *row)
        for folder in folders
        for path in sorted(folder.rglob("*.tsv"))
        for row in pd.read_csv(path, sep="\t", na_values="-")[["s", "max_rss"]].to_numpy()
    ]
    jobs = pd.DataFrame(rows, columns=["rule", "seconds", "mb"]).replace({"rule": RULES})
    found = jobs.astype({"seconds": float, "mb": float}).groupby("rule")
    return found.max().assign(jobs=found.size())


def resources(folders: Sequence[Path], known: str = "") -> str:
    """Return the block of a profile, as YAML, where `known` is the present one."""
    before = pd.DataFrame(SAID.findall(known), columns=["rule", "jobs", "seconds", "mb"])
    both = [measured(folders).astype(float), before.set_index("rule").astype(float)]
    lines = []
    for rule, need in pd.concat(both).groupby(level=0).max().fillna(0.0).iterrows():
        mb = max(200, math.ceil(MEMORY * need["mb"] / 100) * 100)
        minutes = math.ceil((TIME * need["seconds"] + START_SECONDS) / 60)
        lines.append(
            f"  {rule}:  # {need['jobs']:.0f} jobs: up to {need['seconds']:.0f} s, "
            f"{need['mb']:.0f} MB\n    mem_mb: {mb}\n    runtime: {minutes}\n"
        )
        if rule in ALONE:
            lines.append(f"    slurm_extra: \"'{ALONE[rule]}'\"\n")
    return "".join(lines)


def main(folders: Sequence[str]) -> None:
    """Rewrite the end of the profile."""
    if not folders or not all(Path(folder).is_dir() for folder in folders):
        sys.exit(f"error: name folders of benchmarks, as {ROOT.name}/results/full/benchmarks")
    path = ROOT / "profiles/slurm/config.yaml"
    head, start, known = path.read_text("utf-8").partition(START)
    block = resources([Path(folder) for folder in folders], known)
    path.write_text(head + start + block, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
