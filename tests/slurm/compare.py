"""Compares what two runs of the workflow have written; see run.sh."""

import json
import re
import shutil
import sys
from pathlib import Path

TABLES = (".csv", ".md", ".tex", ".svg", ".npz", ".parquet")
# What tells how a run went: its duration, its versions, its paths.
OF_THE_RUN = {"benchmarks", "logs", "report.html", ".snakemake"}


def timed(root: Path) -> list[Path]:
    """Return the records of seconds or memory, relative to root."""
    return [path.relative_to(root) for path in sorted(root.glob("results/*/timings/*/*/*.parquet"))]


def tables(root: Path) -> dict[str, bytes]:
    """Return the content of every table, figure and matrix below results and data/raw."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for folder in ("results", "data/raw")
        for path in sorted((root / folder).rglob("*"))
        if path.suffix in TABLES and not OF_THE_RUN & set(path.relative_to(root).parts)
    }


def take(source: Path, target: Path) -> None:
    """Put the measured results of one run in the place of those of another."""
    found = timed(source)
    for path in found:
        shutil.copyfile(source / path, target / path)
    print(f"taken over: {len(found)} files of measured seconds or memory")


def compare(one: Path, other: Path) -> None:
    """Say whether all tables are the same; end the program if they are not."""
    ours, theirs = tables(one), tables(other)
    only = sorted(ours.keys() ^ theirs.keys())
    differ = sorted(name for name in ours.keys() & theirs.keys() if ours[name] != theirs[name])
    for name in only:
        print(f"only in one run: {name}")
    for name in differ:
        print(f"differs: {name}")
    if only or differ or not ours:
        sys.exit(f"error: {len(only) + len(differ)} of {len(ours.keys() | theirs.keys())} differ")
    print(f"{len(ours)} files are the same, byte for byte")


def submitted(log: Path) -> None:
    """Say whether every job of a run went through sbatch; end the program if one did not."""
    text = log.read_text(encoding="utf-8")
    total = int(re.search(r"(?m)^total +(\d+)$", text)[1])
    there = len(re.findall(r"has been submitted with SLURM jobid", text))
    local = re.findall(r"(?m)^localrule (\w+)", text)
    if set(local) - {"all"}:
        sys.exit(f"error: run outside SLURM: {', '.join(sorted(set(local)))}")
    print(json.dumps({"jobs": total - local.count("all"), "submissions": there}))


if __name__ == "__main__":
    command, *words = sys.argv[1:]
    {"take": take, "compare": compare, "submitted": submitted}[command](*map(Path, words))
