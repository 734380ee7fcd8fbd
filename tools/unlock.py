"""Remove the lock that a killed run of Snakemake has left, unless another run is active.

Every run holds a shared lock on `RUNNING` (workflow/rules/common.smk). The system releases it when
the process ends for any reason.
"""

import fcntl
import subprocess
import sys
from pathlib import Path

RUNNING = Path(".snakemake/running")


def main() -> None:
    """Unlock the folder if it is locked and no run is active in it."""
    if not any(Path(".snakemake/locks").glob("*")):
        return
    with RUNNING.open("w") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
    command = [sys.executable, "-m", "snakemake", "--unlock", "--quiet", "all"]
    subprocess.run(command, check=True)  # noqa: S603 - no word from outside
    print("note: removed the lock of a run that was killed", file=sys.stderr)


if __name__ == "__main__":
    main()
