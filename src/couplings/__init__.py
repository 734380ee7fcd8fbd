"""Similarity of categorical data: fast measures, clusterings and scores.

Names are loaded on first use, so that importing one measure costs only what it needs. Type checkers
and editors read ``__init__.pyi``, which ``python -m couplings._stub`` writes.
"""

from importlib import import_module
from typing import Any

_MODULES = {
    "AhmadDey": "couplings.measures.contexts",
    "AhmadDeyKMeans": "couplings.cluster.mixed_kmeans",
    "Anderberg": "couplings.measures.frequency",
    "Burnaby": "couplings.measures.frequency",
    "CDCDR": "couplings.measures.cdcdr",
    "CDE": "couplings.measures.cde",
    "Cado": "couplings.measures.coupled",
    "Caso": "couplings.measures.coupled",
    "CasoDistance": "couplings.measures.coupled",
    "CategoricalSpectral": "couplings.cluster.spectral",
    "CategoricalTable": "couplings.table",
    "Climbo": "couplings.cluster.climbo",
    "CooccurrenceCounts": "couplings.counts",
    "CountAccumulator": "couplings.counts",
    "CoupledMixed": "couplings.measures.coupled_mixed",
    "CouplingsError": "couplings.errors",
    "DensityPeaks": "couplings.cluster.density_peaks",
    "DilcaM": "couplings.measures.dilca",
    "DilcaRR": "couplings.measures.dilca",
    "EntropyClusters": "couplings.learned.entropy",
    "Eskin": "couplings.measures.frequency",
    "Gambaryan": "couplings.measures.frequency",
    "Goodall": "couplings.measures.frequency",
    "Goodall3": "couplings.measures.frequency",
    "HD": "couplings.measures.contexts",
    "InverseDocumentFrequency": "couplings.measures.encodings",
    "InverseOccurrenceFrequency": "couplings.measures.frequency",
    "Jaccard": "couplings.measures.frequency",
    "JointCounts": "couplings.cluster.joint_counts",
    "KMeans": "couplings.cluster.kmeans",
    "KModes": "couplings.cluster.kmodes",
    "KPrototypes": "couplings.cluster.kprototypes",
    "LatentClasses": "couplings.learned.latent_class",
    "Limbo": "couplings.cluster.limbo",
    "Lin": "couplings.measures.frequency",
    "Lin1": "couplings.measures.frequency",
    "MeasureError": "couplings.errors",
    "MissingValuesError": "couplings.errors",
    "MixedDistance": "couplings.measures.mixed_distance",
    "MixedTable": "couplings.mixed",
    "MultinomialGaussianMixture": "couplings.cluster.mixture",
    "NeighbourGraph": "couplings.cluster.neighbours",
    "NotFittedError": "couplings.errors",
    "ObjectSpace": "couplings.space",
    "OccurrenceFrequency": "couplings.measures.frequency",
    "OneHot": "couplings.measures.encodings",
    "OneHotPCA": "couplings.measures.encodings",
    "PairwiseDistances": "couplings.pairwise",
    "Pearson": "couplings.measures.contexts",
    "QuotientSpace": "couplings.quotient",
    "Rock": "couplings.cluster.rock",
    "SimpleMatching": "couplings.measures.frequency",
    "Smirnov": "couplings.measures.frequency",
    "SpectralCAT": "couplings.cluster.spectralcat",
    "TableError": "couplings.errors",
    "UDM": "couplings.measures.contexts",
    "UEDM": "couplings.measures.frequency",
    "ValueMatrices": "couplings.values",
    "Ward": "couplings.cluster.ward",
    "accuracy": "couplings.metrics.external",
    "adjusted_rand": "couplings.metrics.external",
    "agglomerative_information_bottleneck": "couplings.cluster.limbo",
    "apply_cuts": "couplings.discretize",
    "automatic_categories": "couplings.discretize",
    "casv": "couplings.measures.coupled",
    "classes_by_bic": "couplings.learned.latent_class",
    "choose_k": "couplings.diagnostics",
    "climbo_labels": "couplings.cluster.climbo",
    "cluster_profiles": "couplings.diagnostics",
    "contingency": "couplings.metrics.external",
    "cooccurrence": "couplings.counts",
    "dcf_tree": "couplings.cluster.limbo",
    "describe_table": "couplings.raw",
    "dilca_m_path": "couplings.measures.dilca",
    "equal_width_cuts": "couplings.discretize",
    "external_scores": "couplings.metrics.external",
    "feature_correlation": "couplings.metrics.factors",
    "iaasv": "couplings.measures.coupled",
    "ieasv": "couplings.measures.coupled",
    "internal_indices": "couplings.metrics.internal",
    "inverse_purity": "couplings.metrics.external",
    "kmodes": "couplings.cluster.kmodes",
    "mdl_cuts": "couplings.discretize",
    "measure_from": "couplings.measures.registry",
    "measure_names": "couplings.measures.registry",
    "nmi": "couplings.metrics.external",
    "partition_entropy": "couplings.learned.entropy",
    "plot_choose_k": "couplings.plotting.clusters",
    "plot_dendrogram": "couplings.plotting.clusters",
    "plot_objects": "couplings.plotting.objects",
    "plot_profiles": "couplings.plotting.clusters",
    "plot_value_distances": "couplings.plotting.values",
    "plot_value_map": "couplings.plotting.values",
    "plot_values": "couplings.plotting.values",
    "prepare_table": "couplings.raw",
    "purity": "couplings.metrics.external",
    "random_starts": "couplings.cluster.kmodes",
    "read_table": "couplings.raw",
    "recommend": "couplings.recommendation",
    "spectral_embedding": "couplings.cluster.spectral",
    "spread_starts": "couplings.cluster.kmodes",
    "stirr": "couplings.cluster.stirr",
    "stirr_labels": "couplings.cluster.stirr",
    "symmetric_uncertainty": "couplings.information",
    "value_coupling": "couplings.metrics.factors",
    "ward": "couplings.cluster.ward",
    "ward_linkage": "couplings.cluster.ward",
    "ward_settled": "couplings.cluster.ward_ties",
}

__all__ = sorted([*_MODULES, "__version__"])


def __getattr__(name: str) -> Any:
    """Import the module behind `name` when it is first asked for."""
    if name == "__version__":
        value: Any = _version()
    elif name in _MODULES:
        value = getattr(import_module(_MODULES[name]), name)
    else:
        from difflib import get_close_matches

        near = get_close_matches(name, __all__, n=3)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise AttributeError(f"module 'couplings' has no attribute {name!r}{hint}")
    globals()[name] = value
    return value


def _version() -> str:
    """Return the version of the installed package."""
    from importlib.metadata import version

    return version("couplings")


def __dir__() -> list[str]:
    return __all__
