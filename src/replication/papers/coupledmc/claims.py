"""What coupledMC says in words, tested on what was computed: the tests of all claims."""

from __future__ import annotations

from replication.judge.claims import ClaimBook
from replication.papers.coupledmc.claims_clustering import CLUSTERING
from replication.papers.coupledmc.claims_example import EXAMPLE
from replication.papers.coupledmc.claims_structure import STRUCTURE

CLAIMS = ClaimBook.of(EXAMPLE, STRUCTURE, CLUSTERING)
