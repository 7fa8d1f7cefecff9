"""argand.check_jax: JAX's gradients, in its convention."""
from __future__ import annotations

import functools
from typing import Any, Callable, List

import numpy as np

from ._argand import Error
from ._check import RTOL, check
from ._result import Result


def check_jax(f: Callable[..., Any], *inputs: Any, rtol: float = RTOL, full: bool = False, seed: int = 0x6C4D) -> Result:
    """Is what `jax.vjp` returns the gradient of `f(*inputs)`, in JAX's convention?

    f takes arrays, or dicts, lists or tuples of them, and returns an array of any shape, real or complex: a function with a custom_vjp
    inside, for one. JAX must compute in double precision: `jax.config.update("jax_enable_x64", True)`. `rtol`, `full` and `seed` are
    those of `argand.check`.
    """
    import jax

    @functools.wraps(f)
    def value(*x: Any) -> Any:
        y = np.asarray(f(*x))
        if y.dtype in (np.float32, np.complex64):
            raise Error('check_jax: f computes in single precision; call jax.config.update("jax_enable_x64", True) before anything else')
        return y

    def pullback(*x_and_w: Any) -> Any:
        *x, w = x_and_w
        y, vjp = jax.vjp(f, *x)
        return _arrays(vjp(jax.numpy.asarray(w, dtype=y.dtype)))

    def push(*x_and_v: Any) -> Any:
        x, v = x_and_v[: len(inputs)], x_and_v[len(inputs) :]
        return np.asarray(jax.jvp(f, x, v)[1])

    return check(value, pullback, tuple(inputs), vjp=True, jvp=push, convention="jax", rtol=rtol, full=full, seed=seed)


def _arrays(tree: Any) -> Any:
    """JAX's arrays as NumPy's."""
    if isinstance(tree, dict):
        return {key: _arrays(value) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        parts: List[Any] = [_arrays(value) for value in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return np.asarray(tree)
