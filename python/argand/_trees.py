"""Nested containers of numbers, which functions of arrays take and return.

A tree is an array, a number, or a dict, list, tuple, named tuple or dataclass of trees. Internally it is a list of arrays in double
precision, its leaves, each with a name: `x`, `x['weight']`, `x[0]`, `x.mean`. Integers, strings and None are left unchanged.
"""
from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from ._argand import Error


@dataclasses.dataclass(frozen=True)
class Leaf:
    """A leaf of a tree: its name and its value."""

    name: str
    array: np.ndarray
    restore: Callable[[np.ndarray], Any]  # converts back to the original type: a float, a 0-d array, ...
    given: str = ""  # the caller's type, if it differs


def children(tree: Any) -> Optional[List[Tuple[str, Any]]]:
    """The (name suffix, value) pairs of a container; None for a leaf."""
    if isinstance(tree, Mapping):
        return [(f"[{key!r}]", value) for key, value in tree.items()]
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return [(f".{name}", value) for name, value in zip(tree._fields, tree)]
    if isinstance(tree, (list, tuple)):
        return [(f"[{k}]", value) for k, value in enumerate(tree)]
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        return [(f".{f.name}", getattr(tree, f.name)) for f in dataclasses.fields(tree)]
    return None


def with_children(tree: Any, parts: Sequence[Any]) -> Any:
    """A container like this one, but with other contents."""
    if isinstance(tree, Mapping):
        new = copy.copy(tree) if hasattr(tree, "__setitem__") else dict(tree)
        for key, part in zip(tree, parts):
            new[key] = part  # type: ignore[index]
        return new
    if isinstance(tree, (list, tuple)):
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    new = copy.copy(tree)
    for field, part in zip(dataclasses.fields(tree), parts):
        object.__setattr__(new, field.name, part)
    return new


def walk(tree: Any, name: str) -> Iterator[Tuple[str, Any]]:
    """Yields every leaf with its name, in order."""
    parts = children(tree)
    if parts is None:
        yield name, tree
    else:
        for ending, part in parts:
            yield from walk(part, name + ending)


def mapped(tree: Any, change: Callable[[Any], Any]) -> Any:
    """The tree with every leaf replaced, in order."""
    parts = children(tree)
    return change(tree) if parts is None else with_children(tree, [mapped(part, change) for _, part in parts])


def is_differentiable(value: Any) -> bool:
    """Whether this leaf can be differentiated: it has floating-point or complex elements."""
    return isinstance(value, (float, complex)) or (_is_array(value) and np.asarray(value).dtype.kind in "fc")


def _is_array(value: Any) -> bool:
    return isinstance(value, (np.ndarray, np.generic)) or (hasattr(value, "__array__") and not type(value).__module__.startswith("torch"))


def leaves_of(tree: Any, name: str) -> List[Leaf]:
    """The leaves of a tree of inputs, in the order in which `rebuilt` and `gradients_in` traverse it. Raises Error for anything without
    a derivative."""
    if children(tree) is None and not is_differentiable(tree):
        raise Error(_why_none(tree, name))
    found = []
    for place, value in walk(tree, name):
        if is_differentiable(value):
            found.append(_leaf(value, place))
        elif type(value).__module__.startswith("torch") or type(value).__module__.startswith("scipy.sparse"):
            raise Error(_why_none(value, place))
    return found


def _why_none(value: Any, name: str) -> str:
    array, what = np.asarray(value) if _is_array(value) else np.empty(0), describe(value)
    if isinstance(value, (int, np.ndarray, np.generic)) and (isinstance(value, int) or array.dtype.kind in "iub"):
        return f"check: {name} is {what}, and integers have no derivative; use {name}.astype(float)"
    hint = "; use check_torch for tensors" if type(value).__module__.startswith("torch") else ""
    hint = f"; pass {name}.toarray()" if type(value).__module__.startswith("scipy.sparse") else hint
    return f"check: {name} is {what}; an input must be an array or a number, real or complex, or a dict, list or tuple of these{hint}"


def _leaf(value: Any, name: str) -> Leaf:
    array = np.asarray(value)
    if array.size == 0:
        raise Error(f"check: {name} is empty, with shape {array.shape}; there is nothing to differentiate with respect to")
    if not np.all(np.isfinite(array)):
        place = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise Error(f"check: {name}{list(place) if place else ''} is {array[place]}; all inputs must be finite")
    wide = np.array(array, dtype=complex if array.dtype.kind == "c" else float)
    return Leaf(name, wide, _restorer(value), "" if array.dtype == wide.dtype else array.dtype.name)


def _restorer(like: Any) -> Callable[[np.ndarray], Any]:
    if isinstance(like, np.generic):
        return lambda array: array[()]
    if _is_array(like):
        return lambda array: array
    return lambda array: array.item()


def rebuilt(tree: Any, leaves: List[Any]) -> Any:
    """A tree like this one, but with new leaves, which are popped from the front of the list."""
    return mapped(tree, lambda value: leaves.pop(0) if is_differentiable(value) else value)


def gradients_in(tree: Any, like: Any, name: str, who: str) -> List[np.ndarray]:
    """The leaves of a gradient for inputs `like`. Raises Error if their structures differ."""
    parts = children(like)
    if parts is None:
        return [_gradient(tree, like, name, who)] if is_differentiable(like) else []
    if isinstance(like, Mapping):
        needed = {key for key, value in like.items() if any(is_differentiable(leaf) for _, leaf in walk(value, ""))}
        if not isinstance(tree, Mapping) or not needed <= set(tree) or not set(tree) <= set(like):
            raise Error(f"check: {name} is a dict with keys {sorted(map(str, like))}, but its gradient is {describe(tree)}; {who} must return a dict with the same keys")
        given = [tree.get(key) for key in like]
    elif isinstance(like, (list, tuple)):
        if not isinstance(tree, (list, tuple)) or len(tree) != len(like):
            raise Error(f"check: {name} has {len(like)} inputs, but {who} returns {describe(tree)}; return one gradient for each")
        given = list(tree)
    else:
        if type(tree) is not type(like):
            raise Error(f"check: {name} is {describe(like)}, but its gradient is {describe(tree)}; {who} must return a {type(like).__name__}")
        given = [part for _, part in children(tree) or []]
    return [leaf for part, (ending, value) in zip(given, parts) for leaf in gradients_in(part, value, name + ending, who)]


def _gradient(value: Any, like: Any, name: str, who: str) -> np.ndarray:
    if children(value) is not None:
        raise Error(f"check: {who} returns {describe(value)} for {name}; return an array of shape {np.shape(like)}")
    array = number_array(value, who)
    if array.shape != np.shape(like):
        raise Error(f"check: the gradient has shape {array.shape}, but {name} has shape {np.shape(like)}; {who} must return one number for each element of {name}")
    if array.dtype.kind == "c" and np.asarray(like).dtype.kind != "c":
        raise Error(f"check: the gradient is complex, but {name} is real; {who} must return its real part")
    return array


def number_array(value: Any, who: str) -> np.ndarray:
    """A callable's result as an array. Raises Error if it is not one."""
    if value is None:
        raise Error(f"check: {who} returns None; is a return statement missing?")
    if children(value) is not None:
        raise Error(f"check: {who} returns {describe(value)}; return one array, np.array(...) or np.concatenate(...)")
    array = np.asarray(value)
    if array.dtype.kind not in "fciub":
        raise Error(f"check: {who} returns {describe(value)}; return an array or a number")
    return array


class Output:
    """A tree of outputs as one array: a single array is unchanged, several are flattened and concatenated."""

    def __init__(self, tree: Any, who: str) -> None:
        self._tree, self._alone = tree, children(tree) is None
        for name, value in walk(tree, ""):
            if not (is_differentiable(value) or _is_array(value) or value is None or isinstance(value, (int, str))):
                raise Error(f"check: {who} returns {describe(value)}{f' at {name}' if name else ''}; return an array or a number")
        arrays = [np.asarray(value) for _, value in walk(tree, "") if self._alone or is_differentiable(value)]
        if not arrays:
            raise Error(f"check: {who} returns {describe(tree)} without any floating point numbers; there is nothing to differentiate")
        self.array = number_array(tree, who) if self._alone else np.concatenate([np.ravel(a) for a in arrays])

    def like(self, w: np.ndarray) -> Any:
        """The elements of `w` in the tree's structure, real where the tree is real."""
        if self._alone:
            return w
        begin = 0

        def part(value: Any) -> Any:
            nonlocal begin
            if not is_differentiable(value):
                return value
            array = np.asarray(value)
            numbers = w[begin : begin + array.size].reshape(array.shape)
            begin += array.size
            return _restorer(value)(numbers if array.dtype.kind == "c" else numbers.real.copy())

        return mapped(self._tree, part)


def describe(value: Any) -> str:
    """Describes a value: "an int64 array of shape (3,)", "a list of length 2", "a str"."""
    if isinstance(value, (np.ndarray, np.generic)):
        return f"{'an' if value.dtype.name[0] in 'aeiou' else 'a'} {value.dtype} array of shape {value.shape}"
    if isinstance(value, (list, tuple, Mapping)):
        return f"a {type(value).__name__} of length {len(value)}"
    if value is None:
        return "None"
    kind = type(value).__name__
    return f"{'an' if kind[0].lower() in 'aeiou' else 'a'} {kind}"
