"""argand.check: is a gradient that of a function of NumPy arrays?"""
from __future__ import annotations

import functools
import os
from typing import Any, Callable, Mapping, Optional, Tuple, Union

from ._argand import Error
from ._given import Given, Second
from ._judge import RTOL, Options, Tolerance, judge
from ._replay import recorded
from ._result import Result
from ._trees import describe

CONVENTIONS = ("torch", "tensorflow", "jax")


@recorded
def check(
    f: Callable[..., Any],
    grad: Union[Callable[..., Any], bool],
    x: Any,
    *,
    kwargs: Optional[Mapping[str, Any]] = None,
    vjp: bool = False,
    convention: str = "torch",
    order: int = 1,
    hvp: Optional[Callable[..., Any]] = None,
    jvp: Optional[Callable[..., Any]] = None,
    rtol: Tolerance = RTOL,
    atol: Tolerance = 0.0,
    noise: Optional[float] = None,
    full: bool = False,
    points: int = 1,
    seed: int = 0x6C4D,
    seed_rng: bool = False,
    max_calls: Optional[int] = None,
    max_seconds: Optional[float] = None,
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
    directions first. If these do not pass, each element is judged separately: "fail" when the two differ by more than rtol and ten
    error bars, "inconclusive" when the bar is too wide to tell. A mistake smaller than rtol of the whole gradient is found with
    `full=True`, which always looks at each element.

    grad        A function; or True, where f returns a pair of value and gradient, as for scipy.optimize.minimize(f, x, jac=True).
    x           An array or a number, real or complex, or a dict, list, named tuple or dataclass of them (and so on, nested): then grad
                returns the same structure. A tuple is several arguments: f(*x), and grad(*x) returns one gradient for each. Floats of
                any width are checked in double precision; integers and strings inside containers are left as they are.
    kwargs      Keyword arguments for f, grad, jvp and hvp; they are not differentiated.
    vjp         f returns any array, or a container of arrays, and grad is its vector-Jacobian product: grad(*x, w) is the gradient of
                L = Re(sum(conj(w) * f(*x))) (with convention="jax" of L = Re(sum(w * f(*x)))), for a w like f's value.
    convention  What the gradient with respect to z = x + iy means: "torch" and "tensorflow" for dL/dx + i dL/dy, the direction of ascent; "jax" for its
                conjugate.
    order, hvp  order=2 also checks the second order: hvp(*x, v) is the Hessian-vector product, the derivative of grad along v (for
                several arguments: hvp(*x, *v)).
    jvp         An optional forward derivative: jvp(*x, *v) is the derivative of f along v, in the form of f's value. It is compared
                with grad without differences (adjoint identity).
    rtol, atol  What passes: |gradient - numerical| <= atol + rtol * the larger of both, and the error bar. Each is a number, a list with
                one for each input, or a dict {"x": 1e-6}.
    noise       The relative error of f's values. None: it is measured. Where f is noisier than double precision
                (because it computes in a narrow type, say), it is judged at steps that its noise allows, and a note says how well.
                0: f is exact; what its noise hides is inconclusive.
    full        Judge every element separately.
    points      Check at this many points: x first, then others like it (zeros, ones, ties, kinks, random scales), until one fails. That
                one is simplified as long as it fails in the same way, and becomes the result's `point`.
    seed        The seed of the random directions and weights.
    seed_rng    Every call sees the same random state of Python, NumPy and PyTorch, the current one: for functions that draw random numbers.
    max_calls, max_seconds
                Limits for f and grad together. What the check has found by then decides; whatever it has not reached is inconclusive.
    replay      A file to write this check to, for `argand.replay`; with `points` the check at the point where it fails.

    A second, nearby point is checked too, and grad is called again after f was called elsewhere, to catch gradients that depend on
    earlier calls.

    Independent checks give second opinions (`argand.IndependentCheck`); one that cannot decide says why. Where differences pass a gradient and
    the Taylor remainder or the complex step does not, the verdict is "inconclusive". A jvp that contradicts both differences and grad
    is itself wrong: a note says so.

    f is called repeatedly: near x, and with complex numbers where x is real; there it may raise.
    Raises argand.Error, a ValueError, for invalid arguments. In tests, use `argand.assert_gradient`.
    """
    if convention not in CONVENTIONS:
        raise Error(f"check: convention must be one of {', '.join(map(repr, CONVENTIONS))}, got {convention!r}")
    if order not in (1, 2):
        raise Error(f"check: order must be 1 (gradient only) or 2 (gradient and Hessian-vector product), got {order!r}")
    if order == 2 and (hvp is None or vjp):
        raise Error("check: order=2 requires a real scalar f and hvp(x, v), the derivative of grad along v")
    if jvp is not None and not callable(jvp):
        raise Error(f"check: jvp must be a function jvp(x, v), the derivative of f along v, got {describe(jvp)}")
    options = Options.of("check", dict(rtol=rtol, atol=atol, noise=noise, full=full, seed=seed, seed_rng=seed_rng, max_calls=max_calls,
                                       max_seconds=max_seconds))
    if grad is True:
        f, grad = _pair(f)
    given = Given(f, grad, x, kwargs or {}, vjp, jvp)
    if points != 1:
        return given.at_points(points, seed, lambda x: check(f, grad, x, kwargs=kwargs, vjp=vjp, convention=convention, order=order, hvp=hvp, jvp=jvp,
                                                             **options.given()))
    result = judge(given.problem(), options, "check", convention)
    if order == 1 or not result:
        return result
    # The Hessian is symmetric, so its product with w from the left equals that from the right.
    return judge(Second(grad, hvp, given).problem(), options, "check", convention)


def assert_gradient(f: Callable[..., Any], grad: Callable[..., Any], x: Any, **options: Any) -> Result:
    """`check`, for tests: raises GradientError, an AssertionError, if the gradient is wrong, and Inconclusive, which is not an
    AssertionError, if the check cannot tell; both messages list the findings element by element. Takes the options of `check` and returns
    its result.

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


def _pair(both: Callable[..., Any]) -> Tuple[Callable[..., Any], Callable[..., Any]]:
    """Splits a function that returns value and gradient into f and its gradient."""
    if not callable(both):
        raise Error(f"check: f must be a function, got {describe(both)}")

    def part(k: int) -> Callable[..., Any]:
        @functools.wraps(both)
        def function(*arguments: Any, **keywords: Any) -> Any:
            returned = both(*arguments, **keywords)
            if not isinstance(returned, (tuple, list)) or len(returned) != 2:
                raise Error(f"check: with grad=True f must return a pair (value, gradient), got {describe(returned)}")
            return returned[k]

        return function

    return part(0), part(1)
