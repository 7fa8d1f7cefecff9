"""argand.check: a function of NumPy arrays, its gradient, and whether they belong together."""
from __future__ import annotations

import inspect
import os
import warnings
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _argand
from ._argand import Error
from ._points import search
from ._replay import recorded
from ._result import Result, result_of
from ._trees import Leaf, describe, gradients_in, leaves_of, number_array, rebuilt

CONVENTIONS = ("torch", "tensorflow", "jax")
RTOL = 1e-8
ComplexWarning = getattr(np, "exceptions", np).ComplexWarning  # elsewhere since NumPy 1.25


@recorded
def check(
    f: Callable[..., Any],
    grad: Callable[..., Any],
    x: Any,
    *,
    vjp: bool = False,
    convention: str = "torch",
    order: int = 1,
    hvp: Optional[Callable[..., Any]] = None,
    jvp: Optional[Callable[..., Any]] = None,
    rtol: float = RTOL,
    full: bool = False,
    points: int = 1,
    seed: int = 0x6C4D,
    replay: Union[None, str, "os.PathLike[str]"] = None,
) -> Result:
    """Is `grad` the gradient of `f` at `x`?

    `f(x)` returns a real number L, and `grad(x)` its gradient, in the shape of x:

    >>> import argand, numpy as np
    >>> print(argand.check(lambda x: np.sum(x**3), lambda x: 3 * x**2, np.array([1.0, 2.0])))  # doctest: +ELLIPSIS
    <lambda>: pass
      input  shape       checked       worst error      bar  verdict
      x      float64[2]  2 directions  ...  pass
      for it: differences (relative error ...), taylor (order 2.00 at steps ...), complex step (relative error ...)
      silent: adjoint (no jvp was given)

    The derivative is found numerically (Ridders' extrapolated differences) with an error bar. It is compared along two random
    directions first. Where these do not pass, each element is judged by itself: "fail" when the two differ by more than rtol and ten
    error bars, "inconclusive" when the bar is too wide to tell. A mistake that is smaller than rtol of the whole gradient is found
    with `full=True`, which looks at each element in any case.

    x           An array or a number, real or complex, or a dict or list of them (and so on, nested): then grad returns the same
                structure. A tuple is several arguments: f(*x), and grad(*x) returns one gradient for each. Floats of any width are
                checked in double precision.
    vjp         f returns any array, and grad is its vector-Jacobian product: grad(*x, w) is the gradient of L = Re(sum(conj(w) * f(*x)))
                (with convention="jax" of L = Re(sum(w * f(*x)))), for an array w like f's value.
    convention  What the gradient by z = x + iy is: "torch" and "tensorflow" for dL/dx + i dL/dy, which ascends; "jax" for its
                conjugate.
    order, hvp  order=2 also checks the second order: hvp(*x, v) is the Hessian-vector product, the derivative of grad along v (for
                several arguments: hvp(*x, *v)).
    jvp         A forward derivative, if there is one: jvp(*x, *v) is the derivative of f along v, like f's value. It is compared with
                grad without differences (adjoint identity).
    rtol        Of each element's size, the larger of both.
    full        Judge every element by itself.
    points      Check at so many points: x first, then others like it (zeros, ones, ties, kinks, random scales), until one fails. It is
                made simpler as long as it fails in the same way, and is the result's `point`.
    seed        Of the random directions and weights.
    replay      A file to write this check to, for `argand.replay`; with `points` the check at the point where it fails.

    Independent checks follow (`argand.IndependentCheck`); one that cannot tell says why. Where differences pass a gradient and an
    independent check does not, the verdict is "inconclusive".

    f is called again and again: near x, once or more with a NaN in x, to see what depends on it, and with complex numbers where x is
    real; there it may raise.
    Raises argand.Error, a ValueError, in one sentence, where something does not fit; checks of gradients in tests are
    `argand.assert_gradient`.
    """
    if convention not in CONVENTIONS:
        raise Error(f"check: there is no convention {convention!r}; there are {', '.join(map(repr, CONVENTIONS))}")
    if order not in (1, 2):
        raise Error(f"check: order is {order!r}; 1 checks the gradient, 2 the Hessian-vector product as well")
    if order == 2 and (hvp is None or vjp):
        raise Error("check: order=2 needs hvp, a callable with hvp(x, v) = the derivative of grad along v, of a real number f")
    if jvp is not None and not callable(jvp):
        raise Error(f"check: jvp is {describe(jvp)}; it must be a function, jvp(x, v) = the derivative of f along v")
    given = _Given(f, grad, x, vjp, jvp)
    if points != 1:
        return given.at_points(points, seed, lambda x: check(f, grad, x, vjp=vjp, convention=convention, order=order, hvp=hvp, jvp=jvp,
                                                             rtol=rtol, full=full, seed=seed))
    result = judge(given.value, given.gradients, given.leaves, name=given.name, convention=convention, rtol=rtol, full=full, seed=seed,
                   notes=given.notes, tangent=given.tangent, extended=given.extended)
    if order == 1 or not result:
        return result
    # The Hessian is symmetric, so the product with w from the left is the one with w from the right.
    second = _Second(grad, hvp, x, given)
    return judge(second.value, second.gradients, given.leaves, name=f"Hessian of {given.name}", convention=convention, rtol=rtol, full=full,
                 seed=seed, notes=second.notes, tangent=no_jvp, extended=None)


def assert_gradient(f: Callable[..., Any], grad: Callable[..., Any], x: Any, **options: Any) -> Result:
    """`check`, for tests: raises GradientError, an AssertionError, where the gradient is wrong, and Inconclusive, which is none, where
    that cannot be told; both say what was found, element by element. Takes the options of `check` and returns its result.

    >>> import argand, numpy as np
    >>> argand.assert_gradient(np.sin, np.sin, 1.0)
    Traceback (most recent call last):
        ...
    argand.GradientError: sin: FAIL, the gradient looks multiplied by 1.55741
      input  shape      checked    worst error      bar  verdict
      x      float64[]  1 element      3.6e-01  ...  fail
      worst: x: gradient 0.841471, numerical 0.540302 ± ...
    """
    return check(f, grad, x, **options).assert_pass()


def judge(value: Callable[[List[np.ndarray]], np.ndarray], gradients: Callable[[List[np.ndarray], np.ndarray], Sequence[np.ndarray]],
          leaves: Sequence[Leaf], *, name: str, convention: str, rtol: float, full: bool, seed: int, notes: List[str],
          tangent: Optional[Callable[..., Any]], extended: Optional[Callable[..., Any]]) -> Result:
    """What the library's judge says of plain functions of lists of arrays. `notes` is read when it has spoken. `tangent(arrays, v)` is the
    derivative of value along v, `extended(arrays)` is value at complex arrays; both may return a str, why they cannot."""
    if not rtol > 0:
        raise Error(f"check: rtol is {rtol!r}; it must be positive")
    arrays = [leaf.array for leaf in leaves]
    report = _argand.judge(value, gradients, arrays, rtol=float(rtol), full=bool(full), jax=convention == "jax", seed=int(seed),
                           tangent=tangent, extended=extended)
    return result_of(report, name, [leaf.name for leaf in leaves], arrays, rtol, notes)


def call(function: Callable[..., Any], arguments: Sequence[Any], who: str) -> Any:
    """Its value. What it raises becomes an Error that names it."""
    try:
        return function(*arguments)
    except Error:
        raise
    except Exception as error:
        text = " ".join(str(error).split())
        raise Error(f"check: {who} raises {type(error).__name__} when it is called at x" + (f": {text}" if text else "")) from error


def no_jvp(x: List[np.ndarray], v: List[np.ndarray]) -> str:
    """In place of a forward derivative."""
    return "no jvp was given"


class Value:
    """Calls that give an array: at the point anything wrong is told, beside it what cannot be computed is NaN.

    The point is where the first two calls are.
    """

    def __init__(self, compute: Callable[[List[np.ndarray]], np.ndarray]) -> None:
        self._compute = compute
        self._first: Optional[np.ndarray] = None
        self._point: List[np.ndarray] = []
        self.raised: Optional[Exception] = None  # the first error beside the point

    @property
    def at_point(self) -> np.ndarray:
        assert self._first is not None
        return self._first

    def __call__(self, arrays: List[np.ndarray]) -> np.ndarray:
        with np.errstate(all="ignore"):
            if self._first is None:
                self._point = [a.copy() for a in arrays]
                self._first = self._compute(arrays)
                return self._first
            if all(np.array_equal(a, p) for a, p in zip(arrays, self._point)):
                return self._compute(arrays)
            try:
                y = self._compute(arrays)
            except Exception as error:
                self.raised = self.raised or error
                return np.full_like(self._first, np.nan)
        if y.dtype.kind == self._first.dtype.kind:
            return y
        # Complex at the point: a real number is one. Real at the point: a complex number lies outside of f's domain.
        return y.astype(complex) if self._first.dtype.kind == "c" else np.where(y.imag == 0, y.real, np.nan)


class _Given:
    """The caller's f and grad, as functions of a list of arrays."""

    def __init__(self, f: Callable[..., Any], grad: Callable[..., Any], x: Any, vjp: bool, jvp: Optional[Callable[..., Any]]) -> None:
        for role, function in (("f", f), ("grad", grad)):
            if not callable(function):
                raise Error(f"check: {role} is {describe(function)}; it must be a function")
        self._several = isinstance(x, tuple) and not hasattr(x, "_fields")
        self.arguments: Tuple[Any, ...] = x if self._several else (x,)
        if not self.arguments:
            raise Error("check: x is an empty tuple: there is no input to differentiate by")
        self.name = getattr(f, "__name__", type(f).__name__)
        self.argument_names = argument_names(f, len(self.arguments))
        self.leaves = [leaf for a, n in zip(self.arguments, self.argument_names) for leaf in leaves_of(a, n)]
        if not self.leaves:
            raise Error("check: there is no array in x: there is nothing to differentiate by")
        self.notes: List[str] = [f"{leaf.name} is {np.asarray(o).dtype}; checked in {leaf.array.dtype}"
                                 for leaf, o in zip(self.leaves, _originals(self.arguments)) if np.asarray(o).dtype != leaf.array.dtype]
        self._f, self._grad, self._vjp, self._jvp = f, grad, vjp, jvp
        self.tangent = self._tangent if jvp else no_jvp
        self.value = Value(self._compute)
        self._looked = False

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
                    y = np.asarray(self._f(*self.arguments_of([a.copy() for a in arrays])))
                return y if y.dtype.kind in "fc" and np.all(np.isfinite(y)) else None
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
        before = None if self._looked else [a.copy() for a in arrays]
        y = number_array(call(self._f, self.arguments_of(arrays), "f"), "f")
        if before is not None:
            self._refuse_change(before, arrays, "f")
            self._refuse_value(y)
            self._looked = True
        return y.astype(complex if y.dtype.kind == "c" else float)

    def _refuse_value(self, y: np.ndarray) -> None:
        if y.dtype.kind in "iub":
            raise Error(f"check: f returns {describe(y[()])}, and integers have no derivative; return floating point numbers")
        if not np.all(np.isfinite(y)):
            raise Error(f"check: f(x) is {y[~np.isfinite(y)].flat[0]} at x{'' if y.size == 1 else ' in some elements'}: there is no derivative to compare with")
        if self._vjp:
            return
        if y.size != 1:
            raise Error(f"check: f returns an array of shape {y.shape}, and a gradient belongs to one real number; return its sum, or say vjp=True "
                        "and give grad(x, w), the gradient of Re(sum(conj(w) * f(x)))")
        if y.dtype.kind == "c":
            raise Error("check: f returns a complex number, and a gradient belongs to a real one; return its .real, or its modulus, or say vjp=True "
                        "and give grad(x, w), the gradient of Re(conj(w) * f(x))")

    def gradients(self, arrays: List[np.ndarray], w: np.ndarray) -> List[np.ndarray]:
        before = [a.copy() for a in arrays]
        arguments = self.arguments_of(arrays)
        with np.errstate(all="ignore"):
            g = self.gradients_of(call(self._grad, (*arguments, w) if self._vjp else arguments, "grad"), "grad")
        self._refuse_change(before, arrays, "grad")
        return g if self._vjp else [dx * w.item() for dx in g]

    def _tangent(self, arrays: List[np.ndarray], v: List[np.ndarray]) -> Union[np.ndarray, str]:
        """jvp(*x, *v)"""
        assert self._jvp
        try:
            with np.errstate(all="ignore"):
                dy = np.asarray(self._jvp(*self.arguments_of(arrays), *self.arguments_of(v)))
        except Exception as error:
            return f"jvp raises {type(error).__name__}: {' '.join(str(error).split())[:80]}".rstrip(": ")
        if dy.dtype.kind not in "fciub" or dy.shape != self.value.at_point.shape:
            return f"jvp returns {describe(dy)}, and f an array of shape {self.value.at_point.shape}"
        return dy.astype(complex if dy.dtype.kind == "c" else float)

    def extended(self, arrays: List[np.ndarray]) -> Union[np.ndarray, str]:
        """f of complex numbers."""
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("error", ComplexWarning)
                y = number_array(self._f(*self.arguments_of(arrays)), "f")
        except ComplexWarning:
            return "f drops imaginary parts"
        except Exception as error:
            return f"f raises {type(error).__name__} for complex numbers"
        return y.astype(complex) if y.dtype.kind == "c" else "f of complex numbers is real"

    def gradients_of(self, g: Any, who: str) -> List[np.ndarray]:
        """The leaves of what grad returned."""
        if len(self.arguments) == 1 and not (isinstance(g, tuple) and len(g) == 1):
            return gradients_in(g, self.arguments[0], self.argument_names[0], who)
        if not isinstance(g, (tuple, list)) or len(g) != len(self.arguments):
            raise Error(f"check: there are {len(self.arguments)} inputs, and {who} returns {describe(g)}; return a tuple of one gradient for each")
        return [leaf for dx, a, n in zip(g, self.arguments, self.argument_names) for leaf in gradients_in(dx, a, n, who)]

    def _refuse_change(self, before: List[np.ndarray], after: List[np.ndarray], who: str) -> None:
        for leaf, a, b in zip(self.leaves, before, after):
            if not np.array_equal(a, b, equal_nan=True):
                raise Error(f"check: {who} changes its input {leaf.name}; let it work on a copy, {leaf.name}.copy()")


class _Second:
    """grad as the function, of all inputs in a row, and hvp as its vector-Jacobian product."""

    def __init__(self, grad: Callable[..., Any], hvp: Any, x: Any, given: _Given) -> None:
        self._grad, self._hvp, self._given = grad, hvp, given
        self._complex = any(leaf.array.dtype.kind == "c" for leaf in given.leaves)
        self.value = Value(self._compute)
        self.notes: List[str] = []

    def _compute(self, arrays: List[np.ndarray]) -> np.ndarray:
        g = self._given.gradients_of(call(self._grad, self._given.arguments_of(arrays), "grad"), "grad")
        return np.concatenate([np.ravel(dx) for dx in g]).astype(complex if self._complex else float)

    def gradients(self, arrays: List[np.ndarray], w: np.ndarray) -> List[np.ndarray]:
        places = np.cumsum([a.size for a in arrays])[:-1]
        v = [(part if a.dtype.kind == "c" else part.real).reshape(a.shape) for part, a in zip(np.split(w, places), arrays)]
        arguments = (*self._given.arguments_of(arrays), *self._given.arguments_of(v))
        with np.errstate(all="ignore"):
            return self._given.gradients_of(call(self._hvp, arguments, "hvp"), "hvp")


def argument_names(f: Callable[..., Any], count: int) -> List[str]:
    """What f calls its first arguments; x, or x0, x1, ... where that cannot be seen."""
    try:
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        names = [p.name for p in inspect.signature(f).parameters.values() if p.kind in kinds]
    except (TypeError, ValueError):
        names = []
    if len(names) >= count:
        return names[:count]
    return ["x"] if count == 1 else [f"x{k}" for k in range(count)]


def _originals(tree: Any) -> List[Any]:
    """The leaves as the caller has them."""
    if isinstance(tree, dict):
        tree = tuple(tree.values())
    return [leaf for value in tree for leaf in _originals(value)] if isinstance(tree, (list, tuple)) else [tree]
