"""Custom ops: a value and its vector-Jacobian product in NumPy, checked when the product is attached."""
from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, List, Optional, Sequence, Tuple, overload

import numpy as np

from .. import _argand
from .._argand import Error, Tensor
from .._check import check
from .._result import GradientError, Inconclusive

KINDS = {"real": ("real",), "complex": ("complex",), "both": ("real", "complex")}


class OwnOp:
    """Made by `argand.op`. Called with tensors, it is an op like any other; called with arrays only, it is the original function."""

    def __init__(self, value: Callable[..., Any], inputs: str, at: Optional[Tuple[Any, ...]]) -> None:
        self.__name__ = getattr(value, "__name__", "op")
        self.__doc__ = value.__doc__
        self.__wrapped__ = value
        _argand.require_free_name(self.__name__)
        self._value = value
        self._count = _positional(value, self.__name__)
        self._kinds, self._at = KINDS[inputs], at
        self._vjp: Optional[Callable[..., Any]] = None
        self._jvp: Optional[Callable[..., Any]] = None

    def vjp(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Attaches f(g, *inputs) or f(g, *inputs, w), where g is the gradient of the value w. It returns the gradient of the input, or a
        tuple for several inputs; for a real input only the real part counts. It is checked first, at real and at complex inputs;
        GradientError says what is wrong."""
        takes_value = self._takes_value(f, 1, "vjp")

        def vjp(g: Any, x: Sequence[Any], w: Any) -> Tuple[Any, ...]:
            dx = f(g, *x, w) if takes_value else f(g, *x)
            parts = dx if isinstance(dx, (tuple, list)) else (dx,)
            if len(parts) != self._count:
                raise Error(f"{self.__name__}: got {len(parts)} gradients for {self._count} inputs")
            return tuple(_of_kind(part, z) for part, z in zip(parts, x))

        self._judge(vjp, None)
        self._vjp = vjp
        return f

    def jvp(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Attaches a forward derivative, f(*directions, *inputs) or f(*directions, *inputs, w), for argand.jvp. Checked like the
        vjp, which must be attached first."""
        if self._vjp is None:
            raise Error(f"{self.__name__}: attach the vjp first; the jvp is checked against it")
        takes_value = self._takes_value(f, self._count, "jvp")

        def jvp(v: Sequence[Any], x: Sequence[Any], w: Any) -> Any:
            return f(*v, *x, w) if takes_value else f(*v, *x)

        self._judge(self._vjp, jvp)
        self._jvp = jvp
        return f

    def __call__(self, *inputs: Any) -> Any:
        if len(inputs) != self._count:
            raise TypeError(f"{self.__name__}: expected {self._count} inputs, got {len(inputs)}")
        if not any(isinstance(x, Tensor) for x in inputs):
            return self._value(*inputs)
        return _argand.call_own_op(self.__name__, self._value, self._vjp, self._jvp, list(inputs))

    def __repr__(self) -> str:
        return f"<argand op {self.__name__}, custom>"

    def _takes_value(self, f: Callable[..., Any], before: int, which: str) -> bool:
        n, needed = _positional(f, f"{self.__name__}.{which}"), before + self._count
        if n not in (needed, needed + 1):
            first = "g" if which == "vjp" else ", ".join(["v"] * before)
            raise Error(f"{self.__name__}: the {which} must take ({first}, *inputs) or ({first}, *inputs, w), that is {needed} or {needed + 1} arguments, got {n}")
        return n == needed + 1

    def _judge(self, vjp: Callable[..., Any], jvp: Optional[Callable[..., Any]]) -> None:
        for kind, x in self._points():
            def backward(*arguments: Any) -> Any:
                *z, g = arguments
                dx = vjp(g, z, self._value(*z))
                return dx[0] if self._count == 1 else dx

            def forward(*arguments: Any) -> Any:
                n = self._count
                return jvp(arguments[n:], arguments[:n], self._value(*arguments[:n]))  # type: ignore[misc]

            @functools.wraps(self._value)
            def value(*z: Any) -> Any:
                w = self._value(*z)
                if isinstance(w, (tuple, list, Tensor)):
                    raise Error(f"{self.__name__}: an op must return one NumPy array, got a {type(w).__name__}")
                return w

            result = check(value, backward, x if self._count > 1 else x[0], vjp=True, jvp=None if jvp is None else forward)
            where = f" (at {kind} inputs)"
            if result.verdict == "inconclusive":
                raise Inconclusive(f"{self.__name__}{where}: the check is inconclusive\n{result}")
            if not result:
                mixed = "" if kind != "complex" or self._count == 1 else "\nIf an input is always real, check it as such: argand.op(at=...) takes an array for each input."
                raise GradientError(f"{self.__name__}{where}: the gradient is wrong; {result.diagnosis}\n{result}{mixed}")
            wrong = [note for note in result.notes if "forward derivative is wrong" in note] if jvp is not None else []
            if wrong:
                raise GradientError(f"{self.__name__}{where}: the jvp is wrong; {wrong[0]}")

    def _points(self) -> List[Tuple[str, Tuple[Any, ...]]]:
        """The points for the check: the given point, or three numbers per input, real and complex."""
        if self._at is not None:
            return [("the given", self._at)]
        numbers = np.random.default_rng(0x6C4D)
        points = []
        for kind in self._kinds:
            x = numbers.standard_normal((self._count, 3)) + (1j * numbers.standard_normal((self._count, 3)) if kind == "complex" else 0)
            points.append((kind, tuple(x)))
        return points


@overload
def op(value: Callable[..., Any]) -> OwnOp: ...


@overload
def op(value: None = ..., *, inputs: str = ..., at: Any = ...) -> Callable[[Callable[..., Any]], OwnOp]: ...


def op(value: Optional[Callable[..., Any]] = None, *, inputs: str = "both", at: Any = None) -> Any:
    """A custom op on NumPy arrays:

    >>> import argand as ag, numpy as np
    >>> @ag.op
    ... def cube(z):
    ...     return z**3
    >>> @cube.vjp
    ... def _(g, z, w):
    ...     return np.conj(3 * z**2) * g
    >>> z = ag.variable(2.0)
    >>> cube(z).backward()
    >>> z.grad
    tensor(12., dtype=float64)

    g is the gradient dL/du + i dL/dv of the value w = u + iv, z is the input, or the inputs, and the result is the gradient of each. The vjp
    is checked when it is attached, at real and at complex inputs, by argand.check: GradientError says what is wrong.

    inputs   "real" or "complex", for an op that accepts only these.
    at       Where to check: an array, or a tuple with one for each input. By default vectors of three numbers.
    """
    if inputs not in KINDS:
        raise Error(f"op: inputs must be one of {', '.join(map(repr, KINDS))}, got {inputs!r}")
    points = None if at is None else tuple(np.asarray(x) for x in (at if isinstance(at, tuple) else (at,)))
    if value is None:
        return lambda f: OwnOp(f, inputs, points)
    return OwnOp(value, inputs, points)


def _of_kind(gradient: Any, x: Any) -> Any:
    """Takes the real part of the gradient if x is real: one formula then serves both real and complex inputs."""
    return np.real(gradient) if np.iscomplexobj(gradient) and not np.iscomplexobj(x) else gradient


def _positional(f: Callable[..., Any], name: str) -> int:
    """How many positional arguments f takes, not counting those with defaults."""
    n = 0
    for p in inspect.signature(f).parameters.values():
        if p.kind == p.VAR_POSITIONAL:
            raise Error(f"{name}: *{p.name} does not fix the number of inputs; name each parameter")
        n += p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty
    return n
