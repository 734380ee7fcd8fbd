"""The miniature run of the golden tests: its plan, and the archive of its records.

`python tests/golden/miniature.py` runs the workflow and packs what tables and claims read.
"""

import json
import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path

from kit import ROOT, parsed

from replication.plan.configuration import overlaid
from replication.plan.plan import Plan

HERE = Path(__file__).parent
RECORDS = HERE / "records.tar.xz"
PAPERS = ("dilca", "caso", "cde", "coupledmc", "disc")


def plan_of(**roots):
    """The plan of the run, with its own roots where none are given."""
    config = overlaid(parsed(ROOT / "config/config.yaml"), parsed(HERE / "config.yaml"))
    plan = Plan.load(config, ROOT, check=False)
    return replace(plan, config=overlaid(plan.config, {"roots": roots}))


def files_read(plan):
    """Files of records that the tables and claims of the papers read."""
    specs = [
        plan.spec(rule, paper=paper, **ids)
        for paper in PAPERS
        for rule, ids in [
            ("claims", {}),
            *(("table", {"artefact": artefact}) for artefact in plan.artefacts(paper)),
        ]
    ]
    return {
        entry["file"].replace("{dataset}", dataset)
        for spec in specs
        for entry in json.loads(spec)["inputs"]
        if entry["role"] not in ("table", "independent")
        for dataset in entry.get("datasets", [""])
    }


def without_dates(entry):
    entry.mtime = entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


if __name__ == "__main__":
    command = [sys.executable, "-m", "snakemake", "--cores", "all"]
    command += ["--configfile", "tests/golden/config.yaml", "--"]
    subprocess.run([*command, *(f"paper_{paper}" for paper in PAPERS)], check=True)
    plan = plan_of()
    results = plan.config["roots"]["results"]
    with tarfile.open(RECORDS, "w:xz", preset=9) as archive:
        for file in sorted(files_read(plan)):
            archive.add(file, Path(file).relative_to(results), filter=without_dates)
