"""PyTorch's other names for reshape."""
from __future__ import annotations

import math
from typing import Any, Optional

from .. import _argand
from .._argand import Error, Tensor


def _axis(x: Tensor, dim: int, rank: int) -> int:
    if not -rank <= dim < rank:
        raise IndexError(f"dim {dim} is out of range for a tensor of shape {list(x.shape)}")
    return dim % rank


def unsqueeze(input: Any, dim: int) -> Tensor:
    """A new axis of size 1 at dim."""
    x = input if isinstance(input, Tensor) else _argand.constant(input)
    at = _axis(x, dim, x.ndim + 1)
    return _argand.op_functions["reshape"](x, (*x.shape[:at], 1, *x.shape[at:]))


def squeeze(input: Any, dim: Optional[int] = None) -> Tensor:
    """Without axes of size 1, or without axis dim if that has size 1."""
    x = input if isinstance(input, Tensor) else _argand.constant(input)
    gone = range(x.ndim) if dim is None else [_axis(x, dim, x.ndim)]
    return _argand.op_functions["reshape"](x, tuple(n for i, n in enumerate(x.shape) if n != 1 or i not in gone))


def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Axes start_dim to end_dim as one.

    >>> import argand as ag, numpy as np
    >>> ag.flatten(np.ones((2, 3, 4)), 1).shape
    (2, 12)
    """
    x = input if isinstance(input, Tensor) else _argand.constant(input)
    if x.ndim == 0:
        return _argand.op_functions["reshape"](x, (1,))
    begin, end = _axis(x, start_dim, x.ndim), _axis(x, end_dim, x.ndim)
    if begin > end:
        raise Error(f"flatten: start_dim {start_dim} comes after end_dim {end_dim}")
    return _argand.op_functions["reshape"](x, (*x.shape[:begin], math.prod(x.shape[begin:end + 1]), *x.shape[end + 1:]))
