"""Methods of PyTorch's tensors other than ops, and the functions that create tensors."""
from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from .._argand import Error, Tensor, op_functions
from ._instead import no_attribute
from ._tensors import tensor


class Size(int):
    """The number of elements, like NumPy's `x.size`; calling it gives the shape or the size of one axis, like PyTorch's `x.size()` and `x.size(0)`."""

    _shape: Tuple[int, ...]

    def __call__(self, dim: Optional[int] = None) -> Any:
        return self._shape if dim is None else self._shape[dim]


_elements = Tensor.size.__get__  # type: ignore[attr-defined]


def size(x: Tensor) -> Size:
    """The number of elements, or when called the shape."""
    number = Size(_elements(x))
    number._shape = x.shape
    return number


def clone(x: Tensor) -> Tensor:
    """A copy through which gradients pass."""
    return op_functions["reshape"](x, x.shape)


def norm(x: Tensor, p: float = 2.0, dim: Any = None, keepdim: bool = False) -> Tensor:
    """(Σ |x|^p)^(1/p), over all elements or along axes."""
    return op_functions["vector_norm"](x, p, dim, keepdim)


def to(x: Tensor, target: Any = None, dtype: Any = None) -> Tensor:
    """Converts to a type, or to the type of another tensor: x.to(argand.float32), x.to(y). The device "cpu" changes nothing."""
    if isinstance(target, str) and target.split(":")[0] in ("cpu", "cuda", "mps"):
        if target != "cpu":
            raise Error(f"to: argand computes on the CPU; there is no {target}")
        target = None
    wanted = dtype if target is None else target.dtype if isinstance(target, Tensor) else target
    return x if wanted is None else x.astype(wanted)


def _in_precision(letter: str) -> Any:
    def convert(x: Tensor) -> Tensor:
        return x.astype({"f": "complex64", "d": "complex128"}[letter] if x.is_complex() else {"f": "float32", "d": "float64"}[letter])

    convert.__doc__ = f"In {'single' if letter == 'f' else 'double'} precision, real or complex as before."
    return convert


def same(x: Tensor) -> Tensor:
    """Returns x itself: every tensor is already contiguous and on the CPU."""
    return x


def is_complex(x: Tensor) -> bool:
    """Whether the elements are complex."""
    return x.dtype.kind == "c"


def dim(x: Tensor) -> int:
    """The number of axes."""
    return x.ndim


def missing(x: Tensor, name: str) -> Any:
    """Called for unknown attributes: raises an error that says what to write instead of PyTorch's method."""
    kind = "there are no in-place ops: write x = x.{0}(...), or x.assign(values) for a variable's new values".format(name.rstrip("_"))
    raise no_attribute("'argand.Tensor' object", name, kind if name.endswith("_") and not name.startswith("_") else "")


METHODS = {"size": property(size), "view": op_functions["reshape"], "clone": clone, "norm": norm, "to": to, "float": _in_precision("f"), "double": _in_precision("d"),
           "cpu": same, "contiguous": same, "is_complex": is_complex, "dim": dim, "__getattr__": missing}


def _shape(size: Tuple[Any, ...]) -> Tuple[int, ...]:
    return tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size


def full(size: Any, fill_value: complex, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor whose elements all have one value: full((2, 3), 1j)."""
    return tensor(np.full(size, fill_value, dtype=dtype or (complex if isinstance(fill_value, complex) else float)), requires_grad=requires_grad)


def zeros(*size: Any, dtype: Any = float, requires_grad: bool = False) -> Tensor:
    """Zeros: zeros(2, 3) or zeros((2, 3), dtype=complex)."""
    return full(_shape(size), 0, dtype, requires_grad)


def ones(*size: Any, dtype: Any = float, requires_grad: bool = False) -> Tensor:
    """Ones: ones(2, 3) or ones((2, 3), dtype=complex)."""
    return full(_shape(size), 1, dtype, requires_grad)


def zeros_like(x: Tensor, requires_grad: bool = False) -> Tensor:
    """Zeros of the shape and type of x."""
    return full(x.shape, 0, x.dtype, requires_grad)


def ones_like(x: Tensor, requires_grad: bool = False) -> Tensor:
    """Ones of the shape and type of x."""
    return full(x.shape, 1, x.dtype, requires_grad)


def eye(n: int, m: Optional[int] = None, dtype: Any = float, requires_grad: bool = False) -> Tensor:
    """The identity [n, n], or its first columns [n, m]."""
    return tensor(np.eye(n, m, dtype=dtype), requires_grad=requires_grad)


def linspace(start: complex, end: complex, steps: int, requires_grad: bool = False) -> Tensor:
    """`steps` numbers from start to end, both included."""
    return tensor(np.linspace(start, end, steps), requires_grad=requires_grad)


def _drawn(kind: str, size: Tuple[Any, ...], dtype: Any, requires_grad: bool, a: float, b: float) -> Tensor:
    from ..nn import initial  # imported here because nn imports this module

    x = initial(kind, _shape(size), dtype, "other", a, b)
    return x if requires_grad else x.detach()


def randn(*size: Any, dtype: Any = float, requires_grad: bool = False) -> Tensor:
    """Normally distributed numbers, real or complex, with mean 0 and E|x|² = 1, drawn from the seed set by argand.manual_seed."""
    return _drawn("normal", size, dtype, requires_grad, 1.0, 0.0)


def rand(*size: Any, dtype: Any = float, requires_grad: bool = False) -> Tensor:
    """Uniformly distributed real numbers between 0 and 1, drawn from the seed set by argand.manual_seed."""
    if np.dtype(dtype).kind != "f":
        raise Error(f"rand: dtype must be float32 or float64, got {np.dtype(dtype).name}; complex numbers come from randn")
    return _drawn("uniform", size, dtype, requires_grad, 0.0, 1.0)
