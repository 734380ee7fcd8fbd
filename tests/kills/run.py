#!/usr/bin/env python3
"""Kill a run again and again, go on with `make reproduce` alone, and compare its tables.

    tests/kills/run.py FOLDER [KILLS]

clones the repository into FOLDER twice. One clone runs a small subset (config/kills.yaml, written
there) undisturbed; in the other one the whole process group gets SIGKILL at a random moment, so
many times (20), and `make reproduce` is started after each. A run that has come to its end is
thrown back: some of its results are removed, so that there is something left to interrupt. All
tables, verdicts, claims, tests and label vectors must be those of the undisturbed run.
MIRROR names a folder of raw files, PYTHON the interpreter of an environment that has everything
(else `make` sets one up).
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
EFFORT = "kills"
SETTINGS = {
    "effort": EFFORT,
    "papers": ["cde"],
    "limits": {"datasets": ["zoo"], "row_orders": 2, "samples": 2, "trials": 2},
}
MOST_SECONDS = 1200
COMPARED = 5
"""After so many kills the run goes on to its end and is compared."""


def main(folder: Path, kills: int) -> int:
    """Compare a run that was killed with one that was not."""
    folder.mkdir(parents=True, exist_ok=True)
    calm, killed = (house(folder / name) for name in ("calm", "killed"))
    start = time.monotonic()
    went_on(calm)
    whole = time.monotonic() - start
    print(f"undisturbed: {whole:.0f} s", flush=True)
    # The moments are drawn by the number of the kill, whatever the machine.
    draw = np.random.default_rng(20)
    done = 0
    while done < kills:
        process = started(killed)
        moment = draw.uniform(0.5, 0.5 * whole)
        try:
            if process.wait(moment):
                return failed(killed)
            throw_back(killed, draw)
            continue
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        done += 1
        lock = "a lock" if locked(killed) else "no lock"
        print(f"kill {done}: after {moment:.1f} s, {lock} left", flush=True)
        if done % COMPARED == 0:
            went_on(killed)
            if not same(calm, killed):
                return 1
            throw_back(killed, draw)
    went_on(killed)
    if not same(calm, killed):
        return 1
    print(f"went on after {done} of {kills} kills, all tables and labels are the same")
    return 0


def house(place: Path) -> Path:
    """Clone with the subset as an effort, and the environment and raw files that there are."""
    shutil.rmtree(place, ignore_errors=True)
    subprocess.run(["git", "clone", "-q", ROOT, place], check=True)
    settings = dict(SETTINGS)
    if mirror := os.environ.get("MIRROR"):
        settings["data"] = {"official": False, "mirrors": [mirror]}
    # JSON is YAML
    (place / f"config/{EFFORT}.yaml").write_text(json.dumps(settings), encoding="utf-8")
    if python := os.environ.get("PYTHON"):
        (place / ".venv").symlink_to(Path(python).parents[1])
        for name in ("requirements.lock", "pyproject.toml"):
            os.utime(place / name, (0, 0))
    return place


def started(place: Path) -> subprocess.Popen:
    """`make reproduce` in a process group of its own."""
    with (place / "make.log").open("a") as log:
        return subprocess.Popen(
            ["make", "reproduce", f"EFFORT={EFFORT}"],
            cwd=place,
            env=os.environ | {"PYTHONPATH": str(place / "src")},
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def went_on(place: Path) -> None:
    """`make reproduce` to the end; anything else ends this script."""
    if started(place).wait(MOST_SECONDS):
        sys.exit(failed(place))


def failed(place: Path) -> int:
    """Show why `make reproduce` ended with an error."""
    lines = (place / "make.log").read_text(errors="replace").splitlines()
    print("make reproduce failed:", *lines[-40:], sep="\n", flush=True)
    return 1


def locked(place: Path) -> bool:
    """Whether Snakemake left a lock."""
    return any((place / ".snakemake/locks").glob("*"))


def throw_back(place: Path, draw: np.random.Generator) -> None:
    """Remove a third of what jobs have written, files or folders of records, drawn by chance."""
    made = {
        path.parent if path.parts[-4] in ("trials", "experiments", "timings") else path
        for path in (place / f"results/{EFFORT}").rglob("*")
        if path.is_file() and path.suffix in (".csv", ".npz", ".parquet")
    }
    files = sorted(made)
    for i in draw.permutation(len(files))[: len(files) // 3]:
        path = files[i]
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def same(calm: Path, killed: Path) -> bool:
    """Whether two runs have the same tables, verdicts, claims, tests and labels."""
    results = [place / f"results/{EFFORT}" for place in (calm, killed)]
    words = [calm / ".venv/bin/python", "-m", "replication", "diff", *results]
    environment = os.environ | {"PYTHONPATH": str(calm / "src")}
    return subprocess.run(words, cwd=calm, env=environment, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 20))
