"""Run: the folder of a training run."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, List

from .. import _argand
from ._model import Model


class Run:
    """A training run in its folder, which `argand report`, `eval`, `generate` and `train --resume` also accept."""

    def __init__(self, path: str, stopped_early: bool = False) -> None:
        self.path = path
        self.stopped_early = stopped_early

    def model(self, which: str = "best") -> Model:
        """The model with the "best" validation, or the "last" one."""
        return Model(_argand.open_model(os.path.join(self.path, which + ".safetensors"))).eval()  # type: ignore[return-value]

    @property
    def config(self) -> Dict[str, Any]:
        """All settings by key."""
        with open(os.path.join(self.path, "config.json"), encoding="utf-8") as file:
            return {key: value for part in json.load(file).values() for key, value in part.items()}

    @property
    def log(self) -> List[Dict[str, Any]]:
        """The log: losses, rates and norms of steps, validations, samples (docs/log.md)."""
        with open(os.path.join(self.path, "log.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    @property
    def losses(self) -> List[float]:
        """The training loss of every step in the log."""
        return [line["loss"] for line in self.log if "loss" in line]

    @property
    def validations(self) -> List[Dict[str, Any]]:
        """The log lines of validations."""
        return [line for line in self.log if "valid_loss" in line]

    def __repr__(self) -> str:
        done = self.validations
        if not done:
            return f"Run({self.path!r})"
        best = min(done, key=lambda line: -line["valid_accuracy"] if "valid_accuracy" in line else line["valid_loss"])
        figure = f"accuracy {best['valid_accuracy']:.3f}" if "valid_accuracy" in best else f"loss {best['valid_loss']:.4f}"
        return f"Run({self.path!r}, best validation {figure} at step {best['step']})"
