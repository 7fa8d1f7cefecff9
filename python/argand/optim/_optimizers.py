"""AdamW, Muon, SGD, L-BFGS and clipping."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Mapping, Tuple, Union

from .. import _argand
from .._argand import Error, Tensor
from .._autograd._instead import no_attribute

Rate = Union[float, Callable[[int], float]]
Named = List[Tuple[str, Tensor]]


def _named(parameters: Any) -> Named:
    """Returns (name, tensor) pairs for tensors or such pairs; a tensor without a name becomes p0, p1, ..."""
    found: Named = []
    for i, p in enumerate(parameters):
        found.append(p if isinstance(p, tuple) else (p.name or f"p{i}", p))
        if not isinstance(found[-1][1], Tensor) or not found[-1][1].is_variable:
            raise Error(f"optimizer: {found[-1][0]} is not a variable; only a variable() can be trained")
    if not found:
        raise Error("optimizer: got no parameters; if you passed an iterator, was it already exhausted?")
    return found


def _by_precision(named: Named) -> Dict[str, Named]:
    parts: Dict[str, Named] = {}
    for name, p in named:
        parts.setdefault("32" if p.dtype.name in ("float32", "complex64") else "64", []).append((name, p))
    return parts


def _at(lr: Rate, step: int) -> float:
    return lr(step) if callable(lr) else lr


class Optimizer:
    """The base class. `parameters` is net.parameters(), or a list of (name, variable)."""

    def __init__(self, parameters: Iterable[Any], lr: Rate, kind: str, *constants: Any) -> None:
        self.lr = lr
        self.steps = 0
        self._named = _named(parameters)
        self._parts = {precision: getattr(_argand, kind + precision)(part, *constants) for precision, part in _by_precision(self._named).items()}

    def step(self, gradient_scale: float = 1.0) -> None:
        """Takes one step (for a variable without a gradient, momentum and decay continue). Every gradient is multiplied by gradient_scale
        as it is read."""
        lr = _at(self.lr, self.steps)
        for part in self._parts.values():
            part.step(lr, gradient_scale)
        self.steps += 1

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise no_attribute(f"'{type(self).__name__}' object", name)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clears the gradients by setting grad to None, which PyTorch calls set_to_none=True; False raises an error."""
        if not set_to_none:
            raise Error("zero_grad: set_to_none=False is not supported; a cleared gradient is None")
        for _, p in self._named:
            p.zero_grad()

    def state_dict(self) -> Dict[str, Any]:
        """The optimiser's state, by parameter name."""
        return {"steps": self.steps, "parts": {precision: part.state() for precision, part in self._parts.items()}}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Loads the state_dict() of an optimiser of the same kind, with the same parameter names and shapes."""
        if set(state["parts"]) != set(self._parts):
            raise Error("load_state_dict: the saved state and the parameters have different precisions")
        for precision, part in self._parts.items():
            part.load_state(state["parts"][precision])
        self.steps = state["steps"]


class AdamW(Optimizer):
    """Adam with decoupled weight decay of matrices and tables, never of biases, gains and angles unless decay_all.

    complex_moments   "two": separate second moments for the real and imaginary parts, as in PyTorch; "modulus": one second moment, of
                      |g|², which makes the steps rotation-equivariant.
    """

    def __init__(self, parameters: Iterable[Any], lr: Rate = 1e-3, betas: Tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0.1, decay_all: bool = False, complex_moments: str = "two") -> None:
        if complex_moments not in ("two", "modulus"):
            raise Error(f"AdamW: complex_moments must be 'two' or 'modulus', got {complex_moments!r}")
        super().__init__(parameters, lr, "adamw", *betas, eps, weight_decay, decay_all, complex_moments == "modulus")


class Adam(AdamW):
    """AdamW with weight_decay=0 by default, as in torch.optim.Adam. Decay, if given, is decoupled here too."""

    def __init__(self, parameters: Iterable[Any], lr: Rate = 1e-3, betas: Tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0.0, complex_moments: str = "two") -> None:
        super().__init__(parameters, lr, betas, eps, weight_decay, complex_moments=complex_moments)


class SGD(Optimizer):
    """Gradient descent, optionally with momentum, Nesterov momentum, and decoupled weight decay of matrices and tables."""

    def __init__(self, parameters: Iterable[Any], lr: Rate = 1e-2, momentum: float = 0.0, nesterov: bool = False, weight_decay: float = 0.0) -> None:
        super().__init__(parameters, lr, "sgd", momentum, nesterov, weight_decay)


class Muon(Optimizer):
    """Momentum with orthogonalised steps, for hidden matrices, real or complex; use AdamW for everything else."""

    def __init__(self, parameters: Iterable[Any], lr: Rate = 0.02, momentum: float = 0.95, weight_decay: float = 0.1) -> None:
        super().__init__(parameters, lr, "muon", momentum, weight_decay)


class LBFGS:
    """L-BFGS, for deterministic losses. There is no learning rate: a line search finds the length of each step."""

    def __init__(self, parameters: Iterable[Any], history: int = 10, flat: float = 1e-12) -> None:
        parts = _by_precision(_named(parameters))
        if len(parts) != 1:
            raise Error("LBFGS: all parameters must have the same precision")
        ((precision, named),) = parts.items()
        self._lbfgs = getattr(_argand, "Lbfgs" + precision)(named, history, flat)

    def minimise(self, loss: Callable[[], Tensor], iterations: int = 100) -> Dict[str, Any]:
        """Minimises loss(), a real number, in at most this many iterations. Returns a dict of loss, gradient (its norm), iterations,
        evaluations, and end: "iterations", "flat" (the gradient vanished) or "no lower"."""
        return self._lbfgs.minimise(loss, iterations)


def clip_grad_norm(parameters: Iterable[Any], max_norm: float) -> float:
    """Scales all gradients in place so that sqrt(sum |g|²) is at most max_norm, and returns the norm before clipping."""
    parts = _by_precision(_named(parameters))
    norm = math.hypot(*[getattr(_argand, "grad_norm" + precision)(named) for precision, named in parts.items()])
    factor = _argand.clip_factor(norm, max_norm)
    if factor != 1:
        for precision, named in parts.items():
            getattr(_argand, "scale_gradients" + precision)(named, factor)
    return norm
