"""Similarity of categorical data. Written by ``python -m couplings._stub``."""

from couplings.cluster.climbo import Climbo as Climbo
from couplings.cluster.climbo import climbo_labels as climbo_labels
from couplings.cluster.density_peaks import DensityPeaks as DensityPeaks
from couplings.cluster.joint_counts import JointCounts as JointCounts
from couplings.cluster.kmeans import KMeans as KMeans
from couplings.cluster.kmodes import KModes as KModes
from couplings.cluster.kmodes import kmodes as kmodes
from couplings.cluster.kmodes import random_starts as random_starts
from couplings.cluster.kmodes import spread_starts as spread_starts
from couplings.cluster.kprototypes import KPrototypes as KPrototypes
from couplings.cluster.limbo import Limbo as Limbo
from couplings.cluster.limbo import (
    agglomerative_information_bottleneck as agglomerative_information_bottleneck,
)
from couplings.cluster.limbo import dcf_tree as dcf_tree
from couplings.cluster.mixed_kmeans import AhmadDeyKMeans as AhmadDeyKMeans
from couplings.cluster.mixture import MultinomialGaussianMixture as MultinomialGaussianMixture
from couplings.cluster.neighbours import NeighbourGraph as NeighbourGraph
from couplings.cluster.rock import Rock as Rock
from couplings.cluster.spectral import CategoricalSpectral as CategoricalSpectral
from couplings.cluster.spectral import spectral_embedding as spectral_embedding
from couplings.cluster.spectralcat import SpectralCAT as SpectralCAT
from couplings.cluster.stirr import stirr as stirr
from couplings.cluster.stirr import stirr_labels as stirr_labels
from couplings.cluster.ward import Ward as Ward
from couplings.cluster.ward import ward as ward
from couplings.cluster.ward import ward_linkage as ward_linkage
from couplings.cluster.ward_ties import ward_settled as ward_settled
from couplings.counts import CooccurrenceCounts as CooccurrenceCounts
from couplings.counts import CountAccumulator as CountAccumulator
from couplings.counts import cooccurrence as cooccurrence
from couplings.diagnostics import choose_k as choose_k
from couplings.diagnostics import cluster_profiles as cluster_profiles
from couplings.discretize import apply_cuts as apply_cuts
from couplings.discretize import automatic_categories as automatic_categories
from couplings.discretize import equal_width_cuts as equal_width_cuts
from couplings.discretize import mdl_cuts as mdl_cuts
from couplings.errors import CouplingsError as CouplingsError
from couplings.errors import MeasureError as MeasureError
from couplings.errors import MissingValuesError as MissingValuesError
from couplings.errors import NotFittedError as NotFittedError
from couplings.errors import TableError as TableError
from couplings.information import symmetric_uncertainty as symmetric_uncertainty
from couplings.learned.entropy import EntropyClusters as EntropyClusters
from couplings.learned.entropy import partition_entropy as partition_entropy
from couplings.learned.latent_class import LatentClasses as LatentClasses
from couplings.learned.latent_class import classes_by_bic as classes_by_bic
from couplings.measures.cdcdr import CDCDR as CDCDR
from couplings.measures.cde import CDE as CDE
from couplings.measures.contexts import HD as HD
from couplings.measures.contexts import UDM as UDM
from couplings.measures.contexts import AhmadDey as AhmadDey
from couplings.measures.contexts import Pearson as Pearson
from couplings.measures.coupled import Cado as Cado
from couplings.measures.coupled import Caso as Caso
from couplings.measures.coupled import CasoDistance as CasoDistance
from couplings.measures.coupled import casv as casv
from couplings.measures.coupled import iaasv as iaasv
from couplings.measures.coupled import ieasv as ieasv
from couplings.measures.coupled_mixed import CoupledMixed as CoupledMixed
from couplings.measures.dilca import DilcaM as DilcaM
from couplings.measures.dilca import DilcaRR as DilcaRR
from couplings.measures.dilca import dilca_m_path as dilca_m_path
from couplings.measures.encodings import InverseDocumentFrequency as InverseDocumentFrequency
from couplings.measures.encodings import OneHot as OneHot
from couplings.measures.encodings import OneHotPCA as OneHotPCA
from couplings.measures.frequency import UEDM as UEDM
from couplings.measures.frequency import Anderberg as Anderberg
from couplings.measures.frequency import Burnaby as Burnaby
from couplings.measures.frequency import Eskin as Eskin
from couplings.measures.frequency import Gambaryan as Gambaryan
from couplings.measures.frequency import Goodall as Goodall
from couplings.measures.frequency import Goodall3 as Goodall3
from couplings.measures.frequency import InverseOccurrenceFrequency as InverseOccurrenceFrequency
from couplings.measures.frequency import Jaccard as Jaccard
from couplings.measures.frequency import Lin as Lin
from couplings.measures.frequency import Lin1 as Lin1
from couplings.measures.frequency import OccurrenceFrequency as OccurrenceFrequency
from couplings.measures.frequency import SimpleMatching as SimpleMatching
from couplings.measures.frequency import Smirnov as Smirnov
from couplings.measures.mixed_distance import MixedDistance as MixedDistance
from couplings.measures.registry import measure_from as measure_from
from couplings.measures.registry import measure_names as measure_names
from couplings.metrics.external import accuracy as accuracy
from couplings.metrics.external import adjusted_rand as adjusted_rand
from couplings.metrics.external import contingency as contingency
from couplings.metrics.external import external_scores as external_scores
from couplings.metrics.external import inverse_purity as inverse_purity
from couplings.metrics.external import nmi as nmi
from couplings.metrics.external import purity as purity
from couplings.metrics.factors import feature_correlation as feature_correlation
from couplings.metrics.factors import value_coupling as value_coupling
from couplings.metrics.internal import internal_indices as internal_indices
from couplings.mixed import MixedTable as MixedTable
from couplings.pairwise import PairwiseDistances as PairwiseDistances
from couplings.plotting.clusters import plot_choose_k as plot_choose_k
from couplings.plotting.clusters import plot_dendrogram as plot_dendrogram
from couplings.plotting.clusters import plot_profiles as plot_profiles
from couplings.plotting.objects import plot_objects as plot_objects
from couplings.plotting.values import plot_value_distances as plot_value_distances
from couplings.plotting.values import plot_value_map as plot_value_map
from couplings.plotting.values import plot_values as plot_values
from couplings.quotient import QuotientSpace as QuotientSpace
from couplings.raw import describe_table as describe_table
from couplings.raw import prepare_table as prepare_table
from couplings.raw import read_table as read_table
from couplings.recommendation import recommend as recommend
from couplings.space import ObjectSpace as ObjectSpace
from couplings.table import CategoricalTable as CategoricalTable
from couplings.values import ValueMatrices as ValueMatrices

__version__: str

__all__ = [
    "CDCDR",
    "CDE",
    "HD",
    "UDM",
    "UEDM",
    "AhmadDey",
    "AhmadDeyKMeans",
    "Anderberg",
    "Burnaby",
    "Cado",
    "Caso",
    "CasoDistance",
    "CategoricalSpectral",
    "CategoricalTable",
    "Climbo",
    "CooccurrenceCounts",
    "CountAccumulator",
    "CoupledMixed",
    "CouplingsError",
    "DensityPeaks",
    "DilcaM",
    "DilcaRR",
    "EntropyClusters",
    "Eskin",
    "Gambaryan",
    "Goodall",
    "Goodall3",
    "InverseDocumentFrequency",
    "InverseOccurrenceFrequency",
    "Jaccard",
    "JointCounts",
    "KMeans",
    "KModes",
    "KPrototypes",
    "LatentClasses",
    "Limbo",
    "Lin",
    "Lin1",
    "MeasureError",
    "MissingValuesError",
    "MixedDistance",
    "MixedTable",
    "MultinomialGaussianMixture",
    "NeighbourGraph",
    "NotFittedError",
    "ObjectSpace",
    "OccurrenceFrequency",
    "OneHot",
    "OneHotPCA",
    "PairwiseDistances",
    "Pearson",
    "QuotientSpace",
    "Rock",
    "SimpleMatching",
    "Smirnov",
    "SpectralCAT",
    "TableError",
    "ValueMatrices",
    "Ward",
    "__version__",
    "accuracy",
    "adjusted_rand",
    "agglomerative_information_bottleneck",
    "apply_cuts",
    "automatic_categories",
    "casv",
    "choose_k",
    "classes_by_bic",
    "climbo_labels",
    "cluster_profiles",
    "contingency",
    "cooccurrence",
    "dcf_tree",
    "describe_table",
    "dilca_m_path",
    "equal_width_cuts",
    "external_scores",
    "feature_correlation",
    "iaasv",
    "ieasv",
    "internal_indices",
    "inverse_purity",
    "kmodes",
    "mdl_cuts",
    "measure_from",
    "measure_names",
    "nmi",
    "partition_entropy",
    "plot_choose_k",
    "plot_dendrogram",
    "plot_objects",
    "plot_profiles",
    "plot_value_distances",
    "plot_value_map",
    "plot_values",
    "prepare_table",
    "purity",
    "random_starts",
    "read_table",
    "recommend",
    "spectral_embedding",
    "spread_starts",
    "stirr",
    "stirr_labels",
    "symmetric_uncertainty",
    "value_coupling",
    "ward",
    "ward_linkage",
    "ward_settled",
]
