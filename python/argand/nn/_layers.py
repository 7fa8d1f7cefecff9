"""Layers. Their initial values and names are those of nn/layers.h."""
from __future__ import annotations

import math
from typing import Any, Optional, Tuple, Union

import numpy as np

from .._argand import Error, Tensor, op_functions
from ._module import Module
from ._start import initial, next_mask, real_of, scalar_name

Pair = Union[int, Tuple[int, int]]


def _deviation(fan_in: int) -> float:
    return 1 / math.sqrt(fan_in) if isinstance(fan_in, (int, np.integer)) and fan_in > 0 else 0.0  # initial() rejects this shape


class Linear(Module):
    """y = x Wᵀ + b, real or complex: x [..., in_features] -> [..., out_features]. weight [out, in] ~ N(0, 1/in), bias 0."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True, dtype: Any = float) -> None:
        self.weight = initial("normal", (out_features, in_features), dtype, a=_deviation(in_features))
        self.bias: Optional[Tensor] = initial("full", (out_features,), dtype, "bias", a=0.0) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        return op_functions["linear"](x, self.weight, self.bias)

    def extra_repr(self) -> str:
        out, in_ = self.weight.shape
        return f"{in_}, {out}{'' if self.bias is not None else ', bias=False'}, dtype={self.weight.dtype}"


class Embedding(Module):
    """Rows of a table: ids [...], an array of integers, -> [..., width]. weight [count, width] ~ N(0, std²)."""

    def __init__(self, num_embeddings: int, embedding_dim: int, std: float = 1.0, dtype: Any = float) -> None:
        self.weight = initial("normal", (num_embeddings, embedding_dim), dtype, "embedding", a=std)

    def forward(self, ids: Any) -> Tensor:
        return op_functions["embedding"](ids, self.weight)

    def extra_repr(self) -> str:
        count, width = self.weight.shape
        return f"{count}, {width}, dtype={self.weight.dtype}"


class LayerNorm(Module):
    """LayerNorm over the last axis: gain 1, real, and bias 0."""

    def __init__(self, width: int, eps: float = 1e-5, dtype: Any = float) -> None:
        self.eps = eps
        self.weight = initial("full", (width,), real_of(dtype), "gain", a=1.0)
        self.bias = initial("full", (width,), dtype, "bias", a=0.0)

    def forward(self, x: Tensor) -> Tensor:
        return op_functions["layer_norm"](x, [x.shape[-1]], self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.weight.shape[0]}, dtype={self.bias.dtype}"


class RMSNorm(Module):
    """x / sqrt(mean |x|² + eps) times a real gain, over the last axis."""

    def __init__(self, width: int, eps: float = 1e-6, dtype: Any = float) -> None:
        self.eps = eps
        self.weight = initial("full", (width,), real_of(dtype), "gain", a=1.0)

    def forward(self, x: Tensor) -> Tensor:
        return op_functions["rms_norm"](x, [x.shape[-1]], self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.weight.shape[0]}"


class ModReLU(Module):
    """z / |z| · max(|z| + c, 0), c real, one per feature: z [..., features] complex (Arjovsky et al., 2016). c starts at 0."""

    def __init__(self, features: int, dtype: Any = complex) -> None:
        self.bias = initial("full", (features,), real_of(dtype), "bias", a=0.0)

    def forward(self, z: Tensor) -> Tensor:
        return op_functions["modrelu"](z, self.bias)

    def extra_repr(self) -> str:
        return str(self.bias.shape[0])


class Dropout(Module):
    """In training each number is set to 0 with probability p, and the others are divided by 1 - p; a complex number is dropped as a whole."""

    def __init__(self, p: float = 0.5) -> None:
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.p == 0:
            return x
        return op_functions["dropout"](x, self.p, True, next_mask())

    def extra_repr(self) -> str:
        return f"p={self.p}"


class _Conv(Module):
    axes = 0

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
                 groups: int = 1, bias: bool = True, dtype: Any = float) -> None:
        kernel = (kernel_size,) * self.axes if isinstance(kernel_size, int) else tuple(kernel_size)
        if groups < 1 or in_channels % groups or out_channels % groups:
            raise Error(f"{type(self).__name__}: {in_channels} and {out_channels} channels cannot be divided into {groups} groups")
        shape = (out_channels, in_channels // groups, *kernel)
        self.weight = initial("normal", shape, dtype, a=_deviation(math.prod(shape[1:])))
        self.bias: Optional[Tensor] = initial("full", (out_channels,), dtype, "bias", a=0.0) if bias else None
        self.options = dict(stride=stride, padding=padding, dilation=dilation, groups=groups)

    def forward(self, x: Tensor) -> Tensor:
        return op_functions[type(self).__name__.lower()](x, self.weight, self.bias, **self.options)

    def extra_repr(self) -> str:
        out, in_, *kernel = self.weight.shape
        return f"{in_ * self.options['groups']}, {out}, kernel_size={tuple(kernel)}, dtype={scalar_name(self.weight.dtype)}"


class Conv1d(_Conv):
    """Correlation along one axis: x [B, in_channels, n] -> [B, out_channels, m], real or complex, as in torch.nn.Conv1d."""

    axes = 1


class Conv2d(_Conv):
    """Correlation over two axes: x [B, in_channels, h, w] -> [B, out_channels, ...], real or complex, as in torch.nn.Conv2d."""

    axes = 2


class Identity(Module):
    """Returns x unchanged."""

    def forward(self, x: Tensor) -> Tensor:
        return x


class Flatten(Module):
    """Joins the axes from start_dim to end_dim: [B, C, h, w] -> [B, C h w]."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        self.axes = (start_dim, end_dim)

    def forward(self, x: Tensor) -> Tensor:
        return op_functions["flatten"](x, *self.axes)


class _Pool(Module):
    op = ""

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        self.options = dict(kernel_size=kernel_size, stride=kernel_size if stride is None else stride, padding=padding)

    def forward(self, x: Tensor) -> Tensor:
        return op_functions[self.op](x, **self.options)

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.options.items())


class MaxPool1d(_Pool):
    """The number with the largest modulus in each window of the last axis; for real numbers, the largest number."""

    op = "max_pool1d"


class MaxPool2d(_Pool):
    """The number with the largest modulus in each window of the last two axes; for real numbers, the largest number."""

    op = "max_pool2d"


class AvgPool1d(_Pool):
    """The mean of each window of the last axis."""

    op = "avg_pool1d"


class AvgPool2d(_Pool):
    """The mean of each window of the last two axes."""

    op = "avg_pool2d"
