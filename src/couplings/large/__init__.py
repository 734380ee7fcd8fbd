"""Tables larger than memory, on one machine or a cluster.

Names are loaded on first use, like those of `couplings`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
