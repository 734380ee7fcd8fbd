"""Run the quick workflow in two copies under other conditions, and compare all files byte for byte.

same.py <folder> [target ...]: the copies stay in the folder; with targets of Snakemake, only these
are made. Times, and text about them, differ between runs; they are named by `measured` of each
paper and left out.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPIES: Mapping[str, Mapping[str, str]] = {
    "one": {"cores": "1", "LC_ALL": "C", "TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "123"},
    "the other \u00fc": {"cores": "2", "LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "7"},
}
"""Folder of each copy: cores and environment."""
NOT_COPIED = (".git", ".snakemake", ".venv", "results", "benchmarks", ".*_cache")
TIMES = ("logs", "benchmarks", "journals", "timings", "notebooks", "report.html")
"""Parts of paths of files with times."""
RECORDS = ("ro-crate-metadata.json", "README.md")
"""Records of a run, which have its times and places."""


def copy(place: Path) -> None:
    """Copy the repository, with the environment as a link and the same downloads."""
    shutil.copytree(ROOT, place, ignore=shutil.ignore_patterns(*NOT_COPIED), symlinks=True)
    (place / ".venv").symlink_to(ROOT / ".venv")


def run(place: Path, conditions: Mapping[str, str], targets: Sequence[str]) -> None:
    """Run the quick workflow, or some targets of it, in a copy."""
    known = {**os.environ, **{key: value for key, value in conditions.items() if key != "cores"}}
    words = [str(place / ".venv/bin/snakemake"), "--cores", conditions["cores"], "--quiet", "all"]
    words += ["--configfile", "config/quick.yaml", "--", *targets]
    subprocess.run(words, cwd=place, env=known, check=True)  # noqa: S603 - words of this file


def outputs(place: Path) -> dict[str, bytes]:
    """Return all files of a run that hold no times, by path."""
    root = place / "results/quick"
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
        and not {*path.relative_to(root).parts} & {*TIMES}
        and path.name not in RECORDS
        and not path.name.startswith(".")
    }


def measured(place: Path) -> set[str]:
    """Return the artefacts and papers whose files hold measured times, as beginnings of paths."""
    sys.path.insert(0, str(place / "src"))
    from replication.plan.plan import Plan

    found = set()
    for paper, content in Plan.of_effort(place, "quick", check=False).papers.items():
        given = content.get("measured", {})
        for name in given.get("tables", {}):
            found |= {f"figures/{paper}/{name}.", f"verdicts/{paper}/{name}."}
        if given.get("claims"):
            found |= {f"claims/{paper}.", f"figures/{paper}/claims/"}
    whole = ("ledger/", "figures/claims.", "figures/rollup.", "figures/breakdown.")
    return found | ({*whole, "figures/deviations.", "figures/findings"} if found else set())


def differences(one: Mapping[str, bytes], other: Mapping[str, bytes]) -> Iterator[str]:
    """Yield a line for each file that only one run has, or that differs."""
    for name in sorted({*one, *other}):
        if name not in one or name not in other:
            yield f"{name}: only in one run"
        elif one[name] != other[name]:
            yield f"{name}: differs"


def main(folder: Path, targets: Sequence[str] = ()) -> int:
    """Make both runs, and return how many files differ although they hold no times."""
    folder.mkdir(parents=True)
    for name, conditions in COPIES.items():
        copy(folder / name)
        run(folder / name, conditions, targets)
    one, other = (outputs(folder / name) for name in COPIES)
    times = tuple(measured(folder / next(iter(COPIES))))
    found = [*differences(one, other)]
    wrong = [line for line in found if not line.startswith(times)]
    for line in wrong:
        print(line)
    print(
        f"{len({*one, *other})} files: {len({*one, *other}) - len(found)} equal byte for byte, "
        f"{len(found) - len(wrong)} with measured times differ, {len(wrong)} others differ"
    )
    return min(len(wrong), 1)


if __name__ == "__main__":
    if len(sys.argv) < 2 or Path(sys.argv[1]).exists():
        sys.exit("usage: same.py <folder that does not exist> [target ...]")
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2:]))
