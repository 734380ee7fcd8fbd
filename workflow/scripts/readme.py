"""Put the table of what holds into README.md: readme.py <table.md> <README.md>."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from replication.files import write_text
from replication.show.rollup import insert

table, readme = map(Path, sys.argv[1:])
write_text(readme, insert(readme.read_text(encoding="utf-8"), table.read_text(encoding="utf-8")))
