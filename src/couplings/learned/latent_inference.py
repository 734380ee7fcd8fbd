"""What latent classes tell beyond the classes."""

import numpy as np


class LatentClassInference:
    """Mixin of `LatentClasses`."""

    weights_: np.ndarray
    value_shares_: np.ndarray
    coefficients_: np.ndarray | None
    converged_: bool
