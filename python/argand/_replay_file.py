"""Encodes the arrays, tensors and numbers of a replay file as JSON and decodes them. The reader does not trust the file."""
from __future__ import annotations

import base64
import functools
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from ._argand import Error

MOST_BYTES = 1 << 28  # the maximum size of a file that is read
MOST_IN_LINE = 64  # arrays with more elements are written as base64 rather than as numbers
DTYPES = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128", "bool", "int8", "int16", "int32", "int64", "uint8")


def encoded(value: Any, name: str) -> Any:
    """Encodes a value as JSON."""
    if value is None or isinstance(value, (bool, str)):
        return {"plain": value}
    if isinstance(value, int):
        return {"plain": value}
    if isinstance(value, (float, complex)) and not isinstance(value, np.generic):
        return {"number": type(value).__name__, "data": _numbers(np.asarray(value))}
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise Error(f"save_replay: {name} is a dict with non-string keys, which cannot be written")
        return {"dict": {key: encoded(v, f"{name}[{key!r}]") for key, v in value.items()}}
    if type(value) in (list, tuple):
        return {type(value).__name__: [encoded(v, f"{name}[{k}]") for k, v in enumerate(value)]}
    if hasattr(value, "detach") and hasattr(value, "numpy"):
        dtype = str(value.dtype).replace("torch.", "")
        tensor = value.detach().cpu()
        tensor = tensor.resolve_conj().resolve_neg() if tensor.is_complex() else tensor
        return _array((tensor.float() if dtype == "bfloat16" else tensor).numpy(), dtype, "tensor", name)
    if isinstance(value, (np.ndarray, np.generic)) or hasattr(value, "__array__"):
        array = np.asarray(value)
        return _array(array, array.dtype.name, "scalar" if isinstance(value, np.generic) else "array", name)
    raise Error(f"save_replay: {name} is a {type(value).__name__}, which cannot be written; use arrays, tensors, numbers, or dicts, lists and tuples of them")


def _array(array: np.ndarray, dtype: str, kind: str, name: str) -> Dict[str, Any]:
    if dtype not in DTYPES:
        raise Error(f"save_replay: {name} has dtype {dtype}, which cannot be written")
    if array.size <= MOST_IN_LINE:
        return {kind: dtype, "shape": list(array.shape), "data": _numbers(array)}
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    return {kind: dtype, "shape": list(array.shape), "base64": base64.b64encode(little.tobytes()).decode("ascii")}


def _numbers(array: np.ndarray) -> List[Any]:
    """Converts elements to JSON values that can be read back exactly, since JSON has no NaN and no infinity."""
    flat = np.ravel(array)
    if flat.dtype.kind == "c":
        flat = np.stack([flat.real, flat.imag], -1).reshape(-1)
    if flat.dtype.kind != "f":
        return [int(v) for v in flat]
    return [float(v) if np.isfinite(v) else str(float(v)) for v in flat]


def decoded(node: Any) -> Any:
    if not isinstance(node, dict):
        raise ValueError(f"expected an encoded value, got a {type(node).__name__}")
    keys = set(node)
    if keys == {"plain"}:
        if node["plain"] is not None and not isinstance(node["plain"], (bool, int, str)):
            raise ValueError("a plain value must be null, a bool, an int or a string")
        return node["plain"]
    if keys == {"number", "data"}:
        array = _from_numbers(node["data"], {"float": "float64", "complex": "complex128"}[node["number"]], ())
        return array.item()
    if keys == {"dict"}:
        return {key: decoded(value) for key, value in node["dict"].items()}
    if keys == {"list"} or keys == {"tuple"}:
        (kind,) = keys
        if not isinstance(node[kind], list):
            raise ValueError(f"a {kind} must be a JSON array")
        parts = [decoded(value) for value in node[kind]]
        return parts if kind == "list" else tuple(parts)
    kind = next((k for k in ("array", "scalar", "tensor") if k in node), None)
    if kind is None or keys not in ({kind, "shape", "data"}, {kind, "shape", "base64"}):
        raise ValueError(f"a value has unexpected keys {sorted(keys)[:5]}")
    dtype, shape = node[kind], node["shape"]
    if dtype not in DTYPES or (dtype == "bfloat16" and kind != "tensor"):
        raise ValueError(f"unknown dtype {str(dtype)[:20]}")
    if not isinstance(shape, list) or len(shape) > 32 or not all(type(n) is int and 0 <= n <= MOST_BYTES for n in shape):
        raise ValueError("invalid shape")
    stored = "float32" if dtype == "bfloat16" else dtype
    if "data" in node:
        array = _from_numbers(node["data"], stored, tuple(shape))
    else:
        data = base64.b64decode(node["base64"], validate=True)
        array = np.frombuffer(data, np.dtype(stored).newbyteorder("<")).astype(stored)
        if stored == "bool" and any(byte > 1 for byte in data):
            raise ValueError("a bool must be 0 or 1")
        if array.size != _product(shape):
            raise ValueError(f"{array.size} numbers do not fill a shape of {_product(shape)} elements")
        array = array.reshape(shape)
    if kind == "array":
        return array
    return array[()] if kind == "scalar" else _tensor(array, dtype)


def _product(shape: Sequence[int]) -> int:
    return functools.reduce(lambda a, b: a * b, shape, 1)


def _from_numbers(data: Any, dtype: str, shape: Tuple[int, ...]) -> np.ndarray:
    parts = 2 if dtype.startswith("complex") else 1
    if not isinstance(data, list) or len(data) != parts * _product(shape):
        raise ValueError("the number of values does not match the shape")
    if dtype.startswith(("float", "complex")):
        if not all(type(v) in (int, float) or v in ("nan", "inf", "-inf") for v in data):
            raise ValueError("a value is not a number")
        wide = np.array([float(v) for v in data], dtype=np.float64)
        with np.errstate(over="ignore"):
            return (wide.view(np.complex128) if parts == 2 else wide).astype(dtype).reshape(shape)
    least, most = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    if not all(type(v) is int and least <= v <= most for v in data):
        raise ValueError(f"a value is not a valid {dtype}")
    return np.array(data, dtype=dtype).reshape(shape)


def _tensor(array: np.ndarray, dtype: str) -> Any:
    try:
        import torch
    except ImportError as error:
        raise Error("replay: the file contains tensors, but PyTorch is not installed") from error
    tensor = torch.from_numpy(np.array(array))
    return tensor.bfloat16() if dtype == "bfloat16" else tensor
