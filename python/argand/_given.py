"""Adapts a function of NumPy arrays and its gradient to lists of arrays."""
from __future__ import annotations

import inspect
import warnings
from typing import Any, Callable, List, Mapping, Optional, Tuple, Union

import numpy as np

from ._argand import Error
from ._judge import Problem, Value, call, sentence_of
from ._points import search
from ._result import Result
from ._trees import Output, children, describe, gradients_in, leaves_of, rebuilt

ComplexWarning = getattr(np, "exceptions", np).ComplexWarning  # its location since NumPy 1.25


class Given:
    """The caller's f and grad, with their results checked."""

    def __init__(self, f: Callable[..., Any], grad: Any, x: Any, kwargs: Mapping[str, Any], vjp: bool,
                 jvp: Optional[Callable[..., Any]]) -> None:
        for role, function in (("f", f), ("grad", grad)):
            if not callable(function):
                raise Error(f"check: {role} must be a function, got {describe(function)}")
        self._several = isinstance(x, tuple) and not hasattr(x, "_fields")
        self.arguments: Tuple[Any, ...] = x if self._several else (x,)
        if not self.arguments:
            raise Error("check: x is an empty tuple; there is nothing to differentiate with respect to")
        self.name = getattr(f, "__name__", type(f).__name__)
        self.argument_names = argument_names(f, len(self.arguments))
        self.leaves = [leaf for a, n in zip(self.arguments, self.argument_names) for leaf in leaves_of(a, n)]
        if not self.leaves:
            raise Error("check: x contains no floating point or complex numbers; there is nothing to differentiate with respect to")
        self.kwargs = dict(kwargs)
        self._f, self._grad, self._vjp, self._jvp = f, grad, vjp, jvp
        self._output: Optional[Output] = None
        self._value = Value(self._compute)

    def problem(self) -> Problem:
        notes = [f"{leaf.name} is {leaf.given}; checked in {leaf.array.dtype}" for leaf in self.leaves if leaf.given]
        return Problem(self.name, self.leaves, self._value, self.gradients, self._tangent if self._jvp else no_jvp, self.extended, notes)

    def arguments_of(self, arrays: List[np.ndarray]) -> Tuple[Any, ...]:
        leaves = [leaf.restore(a) for leaf, a in zip(self.leaves, arrays)]
        return tuple(rebuilt(a, leaves) for a in self.arguments)

    def at_points(self, points: int, seed: int, judge_at: Callable[[Any], Result]) -> Result:
        def x_of(arrays: List[np.ndarray]) -> Any:
            arguments = self.arguments_of([a.copy() for a in arrays])
            return arguments if self._several else arguments[0]

        def value(arrays: List[np.ndarray]) -> Optional[np.ndarray]:
            try:
                with np.errstate(all="ignore"):
                    output = Output(self._f(*self.arguments_of([a.copy() for a in arrays]), **self.kwargs), "f")
                self._output = self._output or output
                return output.array if output.array.dtype.kind in "fc" and np.all(np.isfinite(output.array)) else None
            except Exception:
                return None

        def gradient(arrays: List[np.ndarray]) -> Optional[np.ndarray]:
            y = value(arrays)
            try:
                return None if y is None else np.concatenate([np.ravel(g) for g in self.gradients([a.copy() for a in arrays], np.ones_like(y))])
            except Exception:
                return None

        return search(lambda arrays: judge_at(x_of(arrays)), lambda arrays: value(arrays) is not None, gradient, self.leaves, points, seed, x_of)

    def _compute(self, arrays: List[np.ndarray]) -> np.ndarray:
        before = None if self._output else [a.copy() for a in arrays]
        returned = call(self._f, self.arguments_of(arrays), "f", self.kwargs)
        if not self._vjp and children(returned) is not None:
            raise Error(self._refused_container(returned))
        output = Output(returned, "f")
        y = output.array
        if before is not None:
            self._refuse_change(before, arrays, "f")
            self._refuse_value(y)
            self._output = output
        return y.astype(complex if y.dtype.kind == "c" else float)

    @staticmethod
    def _refused_container(returned: Any) -> str:
        if isinstance(returned, tuple) and len(returned) == 2:
            return ("check: f returns a tuple of length 2; return one array, np.array(...) or np.concatenate(...), or pass grad=True if it is a "
                    "(value, gradient) pair")
        return f"check: f returns {describe(returned)}; return one array, np.array(...) or np.concatenate(...)"

    def _refuse_value(self, y: np.ndarray) -> None:
        if y.dtype.kind in "iub":
            raise Error(f"check: f returns {describe(y[()])}, and integers have no derivative; return floating point numbers")
        if not np.all(np.isfinite(y)):
            first = y[~np.isfinite(y)].flat[0]
            where = f"f(x) is {first}" if y.size == 1 else f"some elements of f(x) are not finite (the first is {first})"
            raise Error(f"check: {where}, so there is no derivative to compare with")
        if self._vjp:
            return
        if y.size != 1:
            raise Error(f"check: f returns an array of shape {y.shape}, but must return one real number; return its sum, or pass vjp=True "
                        "and grad(x, w), the gradient of Re(sum(conj(w) * f(x)))")
        if y.dtype.kind == "c":
            raise Error("check: f returns a complex number, but must return a real one; return its real part or modulus, or pass vjp=True "
                        "and grad(x, w), the gradient of Re(conj(w) * f(x))")

    def gradients(self, arrays: List[np.ndarray], w: np.ndarray) -> List[np.ndarray]:
        assert self._output
        before = [a.copy() for a in arrays]
        arguments = self.arguments_of(arrays)
        with np.errstate(all="ignore"):
            incoming = (self._output.like(w),) if self._vjp else ()
            g = self.gradients_of(call(self._grad, (*arguments, *incoming), "grad", self.kwargs), "grad")
        self._refuse_change(before, arrays, "grad")
        return g if self._vjp else [dx * w.item() for dx in g]

    def _tangent(self, arrays: List[np.ndarray], v: List[np.ndarray]) -> Union[np.ndarray, str]:
        """Calls jvp(*x, *v)."""
        assert self._jvp
        try:
            with np.errstate(all="ignore"):
                dy = Output(self._jvp(*self.arguments_of(arrays), *self.arguments_of(v), **self.kwargs), "jvp").array
        except Exception as error:
            return f"jvp raises {type(error).__name__}{sentence_of(error)[:82]}"
        if dy.dtype.kind not in "fciub" or dy.shape != self._value.at_point.shape:
            return f"jvp returns {describe(dy)}, but f returns an array of shape {self._value.at_point.shape}"
        return dy.astype(complex if dy.dtype.kind == "c" else float)

    def extended(self, arrays: List[np.ndarray]) -> Union[np.ndarray, str]:
        """Evaluates f at complex numbers."""
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("error", ComplexWarning)
                y = Output(self._f(*self.arguments_of(arrays), **self.kwargs), "f").array
        except ComplexWarning:
            return "f discards imaginary parts"
        except Exception as error:
            return f"f raises {type(error).__name__} for complex numbers"
        return y.astype(complex) if y.dtype.kind == "c" else "f returns real numbers for complex inputs"

    def gradients_of(self, g: Any, who: str) -> List[np.ndarray]:
        """The leaves of the value that grad returned."""
        if len(self.arguments) == 1 and not (isinstance(g, tuple) and len(g) == 1 and not hasattr(g, "_fields")):
            return gradients_in(g, self.arguments[0], self.argument_names[0], who)
        if not isinstance(g, (tuple, list)) or len(g) != len(self.arguments):
            raise Error(f"check: there are {len(self.arguments)} inputs, but {who} returns {describe(g)}; return a tuple with one gradient for each")
        return [leaf for dx, a, n in zip(g, self.arguments, self.argument_names) for leaf in gradients_in(dx, a, n, who)]

    def _refuse_change(self, before: List[np.ndarray], after: List[np.ndarray], who: str) -> None:
        for leaf, a, b in zip(self.leaves, before, after):
            if not np.array_equal(a, b, equal_nan=True):
                raise Error(f"check: {who} modifies its input {leaf.name}; work on a copy, {leaf.name}.copy()")


class Second:
    """grad as a function of all inputs, concatenated, with hvp as its vector-Jacobian product."""

    def __init__(self, grad: Any, hvp: Any, given: Given) -> None:
        self._grad, self._hvp, self._given = grad, hvp, given
        self._complex = any(leaf.array.dtype.kind == "c" for leaf in given.leaves)

    def problem(self) -> Problem:
        return Problem(f"Hessian of {self._given.name}", self._given.leaves, Value(self._compute), self._gradients, no_jvp)

    def _compute(self, arrays: List[np.ndarray]) -> np.ndarray:
        given = self._given
        g = given.gradients_of(call(self._grad, given.arguments_of(arrays), "grad", given.kwargs), "grad")
        return np.concatenate([np.ravel(dx) for dx in g]).astype(complex if self._complex else float)

    def _gradients(self, arrays: List[np.ndarray], w: np.ndarray) -> List[np.ndarray]:
        given, places = self._given, np.cumsum([a.size for a in arrays])[:-1]
        v = [(part if a.dtype.kind == "c" else part.real).reshape(a.shape) for part, a in zip(np.split(w, places), arrays)]
        arguments = (*given.arguments_of(arrays), *given.arguments_of(v))
        with np.errstate(all="ignore"):
            return given.gradients_of(call(self._hvp, arguments, "hvp", given.kwargs), "hvp")


def no_jvp(x: List[np.ndarray], v: List[np.ndarray]) -> str:
    """The default forward derivative: reports that none was given."""
    return "no jvp was given"


def argument_names(f: Callable[..., Any], count: int) -> List[str]:
    """The names of f's first arguments; x, or x0, x1, ... if they cannot be found."""
    try:
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        names = [p.name for p in inspect.signature(f).parameters.values() if p.kind in kinds]
    except (TypeError, ValueError):
        names = []
    if len(names) >= count:
        return names[:count]
    return ["x"] if count == 1 else [f"x{k}" for k in range(count)]
