"""Initial values, drawn from one seed."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from .. import _argand
from .._argand import Error, Tensor

_state = {"init": _argand.Init(0), "masks": 0, "seed": 0}


def manual_seed(seed: int) -> None:
    """Seeds initial values and dropout masks: the same layers then get the same numbers."""
    _state.update(init=_argand.Init(seed), masks=0, seed=seed)


def initial(kind: str, shape: Sequence[int], dtype: Any = float, role: str = "matrix", a: float = 1.0, b: float = 0.0) -> Tensor:
    """A variable with initial values: "normal" (a is the standard deviation; E|w|² = a²), "glorot", "he", "unitary" (a the gain), "uniform"
    from a to b, or "full" of a. Its role ("matrix", "embedding", "output", "bias", "gain", "angle", "other") tells optimisers how to treat it."""
    for size in shape:
        if not isinstance(size, (int, np.integer)) or size < 1:
            raise Error(f"nn: the sizes of a layer must be whole numbers above 0, got {size!r}")
    return _argand.Init.draw(_state["init"], kind, list(shape), scalar_name(dtype), role, a, b)


def next_mask() -> int:
    """The seed of one dropout mask."""
    _state["masks"] += 1
    return int(_state["seed"] * 1_000_003 + _state["masks"])


def scalar_name(dtype: Any) -> str:
    name = np.dtype(dtype).name
    if name not in ("float32", "float64", "complex64", "complex128"):
        raise Error(f"nn: dtype must be float32, float64, complex64 or complex128, got {name}")
    return name


def real_of(dtype: Any) -> str:
    """The real type with the same precision."""
    return {"complex64": "float32", "complex128": "float64"}.get(scalar_name(dtype), scalar_name(dtype))
