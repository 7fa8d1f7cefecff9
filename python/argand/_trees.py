"""Numbers in containers: what a function of arrays takes and returns.

A tree is an array, a number, or a dict, list or tuple of trees. Inside, it is a list of arrays in double precision, its leaves, each
with a name: `x`, `x['weight']`, `x[0]`.
"""
from __future__ import annotations

import dataclasses
from typing import Any, Callable, List

import numpy as np

from ._argand import Error


@dataclasses.dataclass(frozen=True)
class Leaf:
    """A place in a tree: its name, and what stands there."""

    name: str
    array: np.ndarray
    restore: Callable[[np.ndarray], Any]  # an array as the caller had it: a float, a 0-d array, ...


def leaves_of(tree: Any, name: str) -> List[Leaf]:
    """The leaves of a tree of inputs, in the order in which `rebuilt` and `gradients_in` go through it. Raises Error for what has no
    derivative."""
    if isinstance(tree, dict):
        return [leaf for key, value in tree.items() for leaf in leaves_of(value, f"{name}[{key!r}]")]
    if isinstance(tree, (list, tuple)):
        return [leaf for k, value in enumerate(tree) for leaf in leaves_of(value, f"{name}[{k}]")]
    array, what = np.asarray(tree), describe(tree)
    if array.dtype.kind in "iub":
        raise Error(f"check: {name} is {what}, and nothing can be differentiated by integers; make it floating point, {name}.astype(float)")
    if array.dtype.kind not in "fc":
        hint = "; for tensors there is check_torch" if type(tree).__module__.startswith("torch") else ""
        raise Error(f"check: {name} is {what}; an input is an array or a number, real or complex, or a dict, list or tuple of them{hint}")
    if array.size == 0:
        raise Error(f"check: {name} is empty, of shape {array.shape}: there is nothing to differentiate by")
    if not np.all(np.isfinite(array)):
        place = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise Error(f"check: {name}{list(place) if place else ''} is {array[place]}; choose a point whose numbers are finite")
    wide = np.array(array, dtype=complex if array.dtype.kind == "c" else float)
    return [Leaf(name, wide, _restorer(tree))]


def _restorer(like: Any) -> Callable[[np.ndarray], Any]:
    if isinstance(like, np.ndarray):
        return lambda array: array
    if isinstance(like, np.generic):
        return lambda array: array[()]
    return lambda array: array.item()


def rebuilt(tree: Any, leaves: List[Any]) -> Any:
    """A tree like this one, with other leaves. Takes them from the front of the list."""
    if isinstance(tree, dict):
        return {key: rebuilt(value, leaves) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        parts = [rebuilt(value, leaves) for value in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return leaves.pop(0)


def gradients_in(tree: Any, like: Any, name: str, who: str) -> List[np.ndarray]:
    """The leaves of a gradient for inputs `like`. Raises Error where it is not like them."""
    if isinstance(like, dict):
        if not isinstance(tree, dict) or set(tree) != set(like):
            raise Error(f"check: {name} is a dict with {sorted(map(str, like))}, and its gradient is {describe(tree)}; return a dict with the same keys from {who}")
        return [leaf for key in like for leaf in gradients_in(tree[key], like[key], f"{name}[{key!r}]", who)]
    if isinstance(like, (list, tuple)):
        if not isinstance(tree, (list, tuple)) or len(tree) != len(like):
            raise Error(f"check: there are {len(like)} inputs in {name}, and {who} returns {describe(tree)}; return one gradient for each")
        return [leaf for k in range(len(like)) for leaf in gradients_in(tree[k], like[k], f"{name}[{k}]", who)]
    if isinstance(tree, (dict, list, tuple)):
        raise Error(f"check: {who} returns {describe(tree)} for {name}; return an array of its shape, {np.shape(like)}")
    array = number_array(tree, who)
    if array.shape != np.shape(like):
        raise Error(f"check: the gradient has shape {array.shape}, {name} has {np.shape(like)}; {who} returns one number for each element of {name}")
    if array.dtype.kind == "c" and np.asarray(like).dtype.kind != "c":
        raise Error(f"check: the gradient is complex and {name} is real; return its real part from {who}")
    return [array]


def number_array(value: Any, who: str) -> np.ndarray:
    """What a callable returned, as an array. Raises Error where it is none."""
    if value is None:
        raise Error(f"check: {who} returns None; does it end without a return?")
    if isinstance(value, (list, tuple, dict)):
        raise Error(f"check: {who} returns {describe(value)}; return one array, np.array(...) or np.concatenate(...)")
    array = np.asarray(value)
    if array.dtype.kind not in "fciub":
        raise Error(f"check: {who} returns {describe(value)}; return an array or a number")
    return array


def describe(value: Any) -> str:
    """"an array of int64 of shape (3,)", "a list of 2", "a str"."""
    if isinstance(value, (np.ndarray, np.generic)):
        return f"an array of {value.dtype} of shape {value.shape}"
    if isinstance(value, (list, tuple, dict)):
        return f"a {type(value).__name__} of {len(value)}"
    if value is None:
        return "None"
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
