"""Losses as modules, with PyTorch's names."""
from __future__ import annotations

from typing import Any, Optional

from .._argand import Tensor, op_functions
from ._module import Module


class CrossEntropyLoss(Module):
    """The mean of -log softmax(logits)[target] over rows: logits [..., classes], targets integers [...]."""

    def __init__(self, ignore_index: Optional[int] = None, label_smoothing: float = 0.0) -> None:
        self.options = {"ignore_index": ignore_index, "label_smoothing": label_smoothing}

    def forward(self, input: Tensor, target: Any) -> Tensor:
        return op_functions["cross_entropy"](input, target, **self.options)


class MSELoss(Module):
    """The mean of |input - target|², real or complex."""

    def forward(self, input: Tensor, target: Any) -> Tensor:
        difference = input - target
        power = op_functions["abs2"](difference)
        return op_functions["mean"](power)


class BCEWithLogitsLoss(Module):
    """The mean of -t log σ(x) - (1 - t) log(1 - σ(x)), targets t from 0 to 1."""

    def forward(self, input: Tensor, target: Any) -> Tensor:
        return op_functions["binary_cross_entropy_with_logits"](input, target)


class HuberLoss(Module):
    """The mean of r²/2 where |r| is at most delta, and of delta (|r| - delta/2) elsewhere; r = input - target, real."""

    def __init__(self, delta: float = 1.0) -> None:
        self.delta = delta

    def forward(self, input: Tensor, target: Any) -> Tensor:
        return op_functions["huber_loss"](input, target, delta=self.delta)
