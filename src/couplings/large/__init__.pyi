"""Where each public name of `couplings.large` comes from."""

from .data import LargeTable as LargeTable
from .data import PartitionedTable as PartitionedTable
from .data import count_parquet as count_parquet
from .engines import DaskTable as DaskTable
from .kmodes import BatchKModes as BatchKModes
from .latent_class import BatchLatentClasses as BatchLatentClasses
from .sample import SampleAndAssign as SampleAndAssign
from .sample import draw as draw
from .spectral import BatchSpectral as BatchSpectral
