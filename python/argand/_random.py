"""Gives every call the same random numbers."""
from __future__ import annotations

import random
import sys
from typing import Any, List, Tuple

import numpy as np


class Randomness:
    """The random states of Python, NumPy and PyTorch and the buffers of a module when the check began. `reset` restores them before
    every call; leaving the scope restores them for the caller. Does nothing unless active."""

    def __init__(self, active: bool, module: Any = None) -> None:
        self._active = active
        self._buffers: List[Tuple[Any, Any]] = [(b, b.detach().clone()) for b in module.buffers()] if active and module is not None else []

    def __enter__(self) -> "Randomness":
        if self._active:
            torch = sys.modules.get("torch")
            self._states = random.getstate(), np.random.get_state(), torch.get_rng_state() if torch else None
            self._cuda = torch.cuda.get_rng_state_all() if torch and torch.cuda.is_available() and torch.cuda.is_initialized() else None
        return self

    def reset(self) -> None:
        """Called before each call."""
        if not self._active:
            return
        torch = sys.modules.get("torch")
        random.setstate(self._states[0])
        np.random.set_state(self._states[1])
        if torch and self._states[2] is not None:
            torch.set_rng_state(self._states[2])
            if self._cuda is not None:
                torch.cuda.set_rng_state_all(self._cuda)
            with torch.no_grad():
                for buffer, value in self._buffers:
                    buffer.copy_(value)

    def __exit__(self, *error: Any) -> None:
        self.reset()
