"""The ops as functions, under the name PyTorch users expect: `import argand.nn.functional as F`, then F.relu, F.cross_entropy, ..."""
from typing import TYPE_CHECKING as _TYPE_CHECKING

from .._argand import op_functions as _op_functions
from .._autograd._instead import no_attribute as _no_attribute

globals().update(_op_functions)

if _TYPE_CHECKING:
    from .._ops import *  # noqa: F403: for type checkers, the functions in op_functions
else:

    def __getattr__(name: str):
        raise _no_attribute("module 'argand.nn.functional'", name)
