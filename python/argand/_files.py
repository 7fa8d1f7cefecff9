"""argand.load, argand.save: checkpoints as dicts of NumPy arrays."""
from __future__ import annotations

import os
from typing import Dict, Mapping, Tuple, Union

import numpy as np

from . import _argand

Path = Union[str, "os.PathLike[str]"]


def load(path: Path) -> Dict[str, np.ndarray]:
    """The tensors of a safetensors file, such as a run's `best.safetensors`, by name. Complex ones are complex.

    A file that is not what was written is refused. `load_with_metadata` tells what else is in it.
    """
    return load_with_metadata(path)[0]


def load_with_metadata(path: Path) -> Tuple[Dict[str, np.ndarray], Dict[str, str]]:
    """The same, and the file's metadata; a checkpoint's `config` is the model and its training, as JSON."""
    return _argand.load(os.fspath(path))


def save(path: Path, arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str] = {}) -> None:
    """Writes arrays as a safetensors file, all or nothing, with a checksum. complex64 becomes the format's C64, complex128 pairs of F64.

    >>> import argand, numpy as np, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "z.safetensors")
    >>> argand.save(path, {"z": np.array([1 + 2j])})
    >>> argand.load(path)["z"]
    array([1.+2.j])
    """
    _argand.save(os.fspath(path), {name: np.asarray(array) for name, array in arrays.items()}, dict(metadata))
