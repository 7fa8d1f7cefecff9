"""argand.load, argand.save: runs as models, files of tensors as dicts of NumPy arrays."""
from __future__ import annotations

import os
from typing import Any, Dict, Mapping, Tuple, Union

import numpy as np

from . import _argand

Path = Union[str, "os.PathLike[str]"]


def load(path: Path) -> Any:
    """The model of a run, from its folder (the best checkpoint) or from a checkpoint with its tokens beside it. For any other safetensors
    file, a dict of arrays by name; complex tensors stay complex.

    >>> model = argand.load("runs/first")                # doctest: +SKIP
    >>> model.generate("the", tokens=20)                 # doctest: +SKIP

    A corrupted file is rejected.
    """
    where = os.fspath(path)
    if not os.path.isdir(where) and not _argand.is_checkpoint(where):
        return load_with_metadata(where)[0]
    from ._runs import Model  # imported here because _runs depends on nn, which depends on this module

    return Model(_argand.open_model(where)).eval()


def load_with_metadata(path: Path) -> Tuple[Dict[str, np.ndarray], Dict[str, str]]:
    """The tensors of a safetensors file by name, a checkpoint's as well, and the file's metadata; in a checkpoint, `config` has the model
    and training configuration as JSON."""
    return _argand.load(os.fspath(path))


def save(path: Path, arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str] = {}) -> None:
    """Writes arrays to a safetensors file atomically, with a checksum. complex64 becomes the format's C64, complex128 pairs of F64.

    >>> import argand, numpy as np, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "z.safetensors")
    >>> argand.save(path, {"z": np.array([1 + 2j])})
    >>> argand.load(path)["z"]
    array([1.+2.j])
    """
    if isinstance(path, Mapping) and isinstance(arrays, (str, os.PathLike)):
        raise _argand.Error("save: the path comes first, and then the arrays")
    for what, given in (("arrays", arrays), ("metadata", metadata)):
        if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
            raise _argand.Error(f"save: {what} must be a dict with string keys, such as {{'z': ...}}")
    for name, text in metadata.items():
        if not isinstance(text, str):
            raise _argand.Error(f"save: metadata {name} must be a str, got {type(text).__name__}; use json.dumps()")
    _argand.save(os.fspath(path), {name: _as_array(name, array) for name, array in arrays.items()}, dict(metadata))


def _as_array(name: str, value: Any) -> np.ndarray:
    try:
        return np.asarray(value)
    except (TypeError, ValueError, RuntimeError) as error:  # such as a PyTorch tensor that requires a gradient
        raise _argand.Error(f"save: {name} cannot be converted to a NumPy array: {error}") from error
