"""Choose one parameter setting by a rule, which may use class labels."""

from collections.abc import Mapping, Sequence

from replication.errors import UserError

FIXED = "fixed"
"""Rule that takes the fixed setting of the method, without scores."""

RULES = {
    "purity-nmi-first": ("purity", "nmi_sqrt"),
}
"""Rules that use class labels: the scores that they compare, in this order."""


def select(
    tried: Mapping[str, Sequence[float]], rule: str, fixed: Mapping[str, float] | None = None
) -> float:
    """Return the setting that a rule chooses.

    ``purity-nmi-first``: highest purity (eq. (5) of DILCA), among those the highest NMI, among
    those the smallest setting. Uses class labels. ``fixed``: the fixed setting.

    Parameters
    ----------
    tried : mapping of str to sequence of float
        The settings that were tried, as ``setting``, and their scores by name.
    rule : str
        `FIXED`, or a key of `RULES`.
    fixed : mapping of str to float, optional
        Name and value of the parameter at the fixed setting of the method.

    Raises
    ------
    UserError
        If the rule is unknown.
    """
    if rule == FIXED and fixed:
        (value,) = fixed.values()
        return float(value)
    if rule not in RULES:
        raise UserError(f"select.rule: unknown rule {rule!r}; rules are {', '.join(RULES)}")
    # equal scores differ in the last bits when they were summed in another order
    losses = [[-round(float(x), 12) for x in tried[name]] for name in RULES[rule]]
    return min(zip(*losses, tried["setting"], strict=True))[-1]
