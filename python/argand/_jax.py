"""argand.check_jax: checks JAX's gradients, in JAX's convention."""
from __future__ import annotations

import functools
from typing import Any, Callable, Mapping, Optional

import numpy as np

from ._argand import Error
from ._check import check
from ._judge import Options
from ._result import Result
from ._trees import mapped, walk


def check_jax(f: Callable[..., Any], *inputs: Any, kwargs: Optional[Mapping[str, Any]] = None, **options: Any) -> Result:
    """Is what `jax.vjp` returns the gradient of `f(*inputs, **kwargs)` with respect to the inputs, in JAX's convention?

    f takes and returns arrays of any shape, real or complex, or dicts, lists, tuples or dataclasses of them: for example a function
    with a custom_vjp inside. JAX must compute in double precision: `jax.config.update("jax_enable_x64", True)`. `options` are those of
    `argand.check`: rtol, atol, noise, full, seed, seed_rng, max_calls, max_seconds.
    """
    import jax

    Options.of("check_jax", options)
    closed = functools.partial(f, **kwargs) if kwargs else f

    @functools.wraps(f)
    def value(*x: Any) -> Any:
        y = mapped(closed(*x), lambda leaf: np.asarray(leaf) if hasattr(leaf, "__array__") else leaf)
        if any(getattr(leaf, "dtype", None) in (np.float32, np.complex64) for _, leaf in walk(y, "")):
            raise Error('check_jax: f computes in single precision; call jax.config.update("jax_enable_x64", True) before any other JAX code')
        return y

    def pullback(*x_and_w: Any) -> Any:
        *x, w = x_and_w
        y, vjp = jax.vjp(closed, *x)
        types = [leaf.dtype for _, leaf in walk(y, "")]
        return _arrays(vjp(mapped(w, lambda leaf: jax.numpy.asarray(leaf, dtype=types.pop(0)))))

    def push(*x_and_v: Any) -> Any:
        x, v = x_and_v[: len(inputs)], x_and_v[len(inputs) :]
        return _arrays(jax.jvp(closed, x, v)[1])

    return check(value, pullback, tuple(inputs), vjp=True, jvp=push, convention="jax", **options)


def _arrays(tree: Any) -> Any:
    """Converts JAX's arrays to NumPy's."""
    return mapped(tree, np.asarray)
