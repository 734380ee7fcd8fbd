"""CPU seconds of latent classes beside StepMix, at the same number of starts and precision.

pip install stepmix
PYTHONPATH=src python benchmarks/latent_classes.py zoo.csv:5 votes.csv:3
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from stepmix.stepmix import StepMix

from couplings import LatentClasses
from couplings.metrics.external import adjusted_rand

_STEPS = 1000


def measured(fit: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of a call and the least CPU seconds of three more, all compiled."""
    seconds = []
    result = fit()
    for _ in range(3):
        start = time.process_time()
        fit()
        seconds.append(time.process_time() - start)
    return result, min(seconds)


def main() -> None:
    """Print one row per table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="+", help="FILE:CLASSES; CSV, the last column is left out")
    parser.add_argument("--starts", type=int, default=10)
    options = parser.parse_args()
    print("| table | rows | classes | log-likelihood | StepMix | ARI | CPU s | StepMix | ratio |")
    print("|---|---|---|---|---|---|---|---|---|")
    for given in options.tables:
        path, _, k = given.rpartition(":")
        frame = pd.read_csv(path, dtype=str, keep_default_na=False).iloc[:, :-1].astype("category")
        codes = frame.apply(lambda column: column.cat.codes).to_numpy(dtype=np.int64)
        # StepMix stops by the gain in the mean log-likelihood, about a tenth of the relative one
        ours = LatentClasses(
            int(k),
            pseudo_count=0,
            n_init=options.starts,
            tol=1e-11,
            max_iter=_STEPS,
            random_state=0,
        )
        theirs = StepMix(
            int(k), measurement="categorical", n_init=options.starts, abs_tol=1e-10,
            max_iter=_STEPS, random_state=0, progress_bar=0,
        )  # fmt: skip
        model, seconds = measured(lambda m=ours, x=frame: m.fit(x))
        peer, peer_seconds = measured(lambda m=theirs, x=codes: m.fit(x))
        agreement = adjusted_rand(model.labels_, peer.predict(codes))
        print(
            f"| {path.rpartition('/')[2].removesuffix('.csv')} | {len(frame)} | {k} "
            f"| {model.log_likelihood_:.3f} | {peer.score(codes) * len(codes):.3f} "
            f"| {agreement:.2f} | {seconds:.2f} | {peer_seconds:.2f} "
            f"| {peer_seconds / seconds:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
