"""Variables, constants, and switching recording off."""
from __future__ import annotations

import functools
from typing import Any, Callable, List, TypeVar

from .. import _argand
from .._argand import Tensor

F = TypeVar("F", bound=Callable[..., Any])


def variable(values: Any, dtype: Any = None) -> Tensor:
    """A tensor that accumulates a gradient: after `L.backward()` its `grad` is dL/dx + i dL/dy, in its own shape.

    >>> import argand as ag
    >>> z = ag.variable([3 + 4j])
    >>> ag.abs2(z).sum().backward()
    >>> z.grad
    tensor([6.+8.j], dtype=complex128)

    float32, float64, complex64 and complex128 arrays keep their type, integers become float64. The data is copied: later changes
    to the array do not affect gradients.
    """
    return _argand.variable(values, dtype)


def constant(values: Any, dtype: Any = None) -> Tensor:
    """A tensor that takes part in computations but gets no gradient. Types are as for `variable`."""
    return _argand.constant(values, dtype)


def tensor(values: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """PyTorch's name for `constant` or, with requires_grad=True, for `variable`. Unlike in PyTorch, Python numbers become float64 or
    complex128."""
    return variable(values, dtype) if requires_grad else constant(values, dtype)


class no_grad:
    """Disables recording: `with argand.no_grad(): ...`, or as a decorator, `@argand.no_grad()`.

    >>> import argand as ag
    >>> x = ag.variable(2.0)
    >>> with ag.no_grad():
    ...     print((x * x).requires_grad)
    False
    """

    def __init__(self) -> None:
        self._open: List[Any] = []

    def __enter__(self) -> "no_grad":
        block = _argand.NoGrad()
        block.__enter__()
        self._open.append(block)
        return self

    def __exit__(self, *_: Any) -> None:
        self._open.pop().__exit__()

    def __call__(self, f: F) -> F:
        @functools.wraps(f)
        def without(*args: Any, **kwargs: Any) -> Any:
            with no_grad():
                return f(*args, **kwargs)

        return without  # type: ignore[return-value]
