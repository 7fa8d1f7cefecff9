"""Converts keyword arguments to the settings of a configuration."""
from __future__ import annotations

import os
from typing import Any, List, Mapping, Tuple

import numpy as np

from .._argand import Error


def setting_texts(whom: str, settings: Mapping[str, Any]) -> List[Tuple[str, str]]:
    """(key, text) pairs as in a configuration file."""
    return [(key, _text(whom, key, value)) for key, value in settings.items() if value is not None]


def _text(whom: str, key: str, value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, (list, tuple)):
        return ",".join(_text(whom, key, item) for item in value)
    raise Error(f"{whom}: {key} must be a number, string, boolean or a list of these, got {type(value).__name__}")
