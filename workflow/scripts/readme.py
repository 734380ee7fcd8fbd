"""Put the table of what holds into README.md: readme.py <table.md> <README.md>."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from replication.rollup import insert
from replication.steps import write_text

table, readme = map(Path, sys.argv[1:])
write_text(readme, insert(readme.read_text(encoding="utf-8"), table.read_text(encoding="utf-8")))
