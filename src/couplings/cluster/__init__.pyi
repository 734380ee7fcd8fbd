"""The names of this package: where each comes from, for type checkers and the lazy import."""

from .climbo import Climbo as Climbo
from .density_peaks import DensityPeaks as DensityPeaks
from .kmeans import KMeans as KMeans
from .kmodes import KModes as KModes
from .kprototypes import KPrototypes as KPrototypes
from .limbo import Limbo as Limbo
from .mixed_kmeans import AhmadDeyKMeans as AhmadDeyKMeans
from .mixture import MultinomialGaussianMixture as MultinomialGaussianMixture
from .rock import Rock as Rock
from .spectral import CategoricalSpectral as CategoricalSpectral
from .spectralcat import SpectralCAT as SpectralCAT
from .ward import Ward as Ward
from .ward import ward_linkage as ward_linkage
