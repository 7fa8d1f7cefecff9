"""argand.check_torch: PyTorch's own gradients, or a module's, before the judge."""
from __future__ import annotations

import copy
import os
import warnings
from typing import Any, Callable, List, Optional, Tuple, Union

import numpy as np

from ._argand import Error
from ._check import RTOL, Value, argument_names, call, judge
from ._points import search
from ._replay import recorded
from ._result import Result
from ._trees import Leaf, describe


@recorded
def check_torch(function: Callable[..., Any], *inputs: Any, order: int = 1, rtol: float = RTOL, full: bool = False, points: int = 1,
                seed: int = 0x6C4D, replay: Union[None, str, "os.PathLike[str]"] = None) -> Result:
    """Is what `backward` returns the gradient of `function(*inputs)`?

    `function` takes tensors and returns a tensor of any shape, or a tuple, list or dict of tensors: a function, one with an
    autograd.Function inside, or a module, whose parameters are then checked as well. Floating point and complex inputs are differentiated
    by; anything else is handed on as it is. All is computed in double precision, on copies: tensors and module stay as they are.

    >>> import argand, torch
    >>> argand.check_torch(torch.tanh, torch.tensor([0.5, -1.0])).verdict
    'pass'

    order=2 checks the gradient of the gradient as well. `rtol`, `full`, `points`, `seed` and `replay` are those of `argand.check`; points
    are points of the inputs, or of the parameters where no input is differentiated by.
    """
    import torch

    if order not in (1, 2):
        raise Error(f"check_torch: order is {order!r}; 1 checks the gradient, 2 the gradient of the gradient as well")
    subject = _Subject(torch, function, inputs)
    if points != 1:
        return subject.at_points(points, seed, lambda function, inputs: check_torch(function, *inputs, order=order, rtol=rtol, full=full, seed=seed))
    result = subject.judged(subject.name, rtol, full, seed)
    if order == 1 or not result:
        return result
    return _Subject(torch, function, inputs, second=seed).judged(f"gradient of {subject.name}", rtol, full, seed)


class _Subject:
    """A function of tensors as a function of a list of arrays: those of its inputs, then those of its parameters."""

    def __init__(self, torch: Any, function: Callable[..., Any], inputs: Tuple[Any, ...], second: Any = None) -> None:
        if not callable(function):
            raise Error(f"check_torch: the function is {describe(function)}; give a module or a function, then its inputs")
        self._torch, self._second = torch, second
        self._is_module = isinstance(function, torch.nn.Module)
        self.name = type(function).__name__ if self._is_module else getattr(function, "__name__", type(function).__name__)
        self._function = copy.deepcopy(function)._apply(self._wide) if self._is_module else function
        self._inputs = [self._wide(x.detach()) if isinstance(x, torch.Tensor) else x for x in inputs]
        self._places = [k for k, x in enumerate(self._inputs) if isinstance(x, torch.Tensor) and (x.is_floating_point() or x.is_complex())]
        parameters = [(n, p) for n, p in self._function.named_parameters() if p.requires_grad] if self._is_module else []
        self._parameters = [p for _, p in parameters]
        self._parameter_names = [n for n, _ in parameters]
        names = argument_names(function.forward if self._is_module else function, len(inputs))
        names = [names[k] for k in self._places] + [n for n, _ in parameters]
        self._like = [self._inputs[k] for k in self._places] + [p.detach().clone() for p in self._parameters]
        if not self._like:
            kinds = ", ".join(str(x.dtype) if isinstance(x, torch.Tensor) else describe(x) for x in inputs) or "none"
            raise Error(f"check_torch: there is no floating point or complex tensor to differentiate by (inputs: {kinds})")
        for name, x in zip(names, self._like):
            if x.numel() == 0 or not bool(torch.isfinite(torch.view_as_real(x.resolve_conj()) if x.is_complex() else x).all()):
                raise Error(f"check_torch: {name} {'is empty' if x.numel() == 0 else 'holds numbers that are not finite'}; choose another point")
        self._leaves = [Leaf(n, self._array(x), lambda a: a) for n, x in zip(names, self._like)]
        narrow = [x for x in inputs if isinstance(x, torch.Tensor) and x.dtype in (torch.float16, torch.bfloat16, torch.float32, torch.complex64)]
        self._notes = ["checked in double precision"] if narrow or (self._is_module and any(p.dtype != q.dtype for p, q in zip(
            function.parameters(), self._function.parameters()))) else []

    def judged(self, name: str, rtol: float, full: bool, seed: int) -> Result:
        return judge(Value(self._value), self._gradients, self._leaves, name=name, convention="torch", rtol=rtol, full=full, seed=seed, notes=self._notes,
                     tangent=self._tangent, extended=self._extended)

    def at_points(self, points: int, seed: int, judge_at: Callable[[Any, Any], Result]) -> Result:
        count = len(self._places) or len(self._like)
        rest = [leaf.array for leaf in self._leaves[count:]]

        def call_at(arrays: List[np.ndarray]) -> Tuple[Any, Any]:
            tensors = [self._torch.from_numpy(a.copy()).to(x.device) for a, x in zip(arrays, self._like)]
            if not self._places:
                with self._torch.no_grad():
                    for parameter, tensor in zip(self._parameters, tensors):
                        parameter.copy_(tensor)
                return self._function, self._inputs
            arguments = list(self._inputs)
            for place, tensor in zip(self._places, tensors):
                arguments[place] = tensor
            return self._function, arguments

        def value(arrays: List[np.ndarray]) -> Optional[np.ndarray]:
            try:
                y = self._joined(self._outputs([a.copy() for a in arrays] + rest, False)[0])
                return y if np.all(np.isfinite(y)) else None
            except Exception:
                return None

        def gradient(arrays: List[np.ndarray]) -> Optional[np.ndarray]:
            y = value(arrays)
            try:
                return None if y is None else np.concatenate([np.ravel(g) for g in self._gradients([a.copy() for a in arrays] + rest, np.ones_like(y))])
            except Exception:
                return None

        return search(lambda arrays: judge_at(*call_at(arrays)), lambda arrays: value(arrays) is not None, gradient, self._leaves[:count], points,
                      seed, lambda arrays: call_at(arrays)[1] if self._places else [a.copy() for a in arrays])

    def _wide(self, x: Any) -> Any:
        if x.is_floating_point():
            return x.double()
        return x.to(self._torch.complex128) if x.is_complex() else x

    @staticmethod
    def _array(x: Any) -> np.ndarray:
        return x.detach().resolve_conj().resolve_neg().cpu().numpy().copy()

    def _outputs(self, arrays: List[np.ndarray], differentiable: bool) -> Tuple[List[Any], List[Any]]:
        """The outputs, and what they depend on."""
        torch = self._torch
        count = len(self._places)
        tensors = [torch.from_numpy(a).to(x.device).requires_grad_(differentiable) for a, x in zip(arrays[:count], self._like)]
        arguments = list(self._inputs)
        for place, tensor in zip(self._places, tensors):
            arguments[place] = tensor
        for parameter, a in zip(self._parameters, arrays[count:]):
            parameter.requires_grad_(False).copy_(torch.from_numpy(a))
            parameter.requires_grad_(differentiable)
        # A leaf may not be changed in place, and a function that does so is told apart from one that does not.
        before = [t._version for t in tensors]
        with torch.enable_grad():
            returned = call(self._function, arguments, "the function")
        if [t._version for t in tensors] != before:
            raise Error("check_torch: the function changes its input in place; let it work on a clone")
        return self._tensors(returned), tensors + self._parameters

    def _outputs_of(self, tensors: List[Any]) -> List[Any]:
        """The outputs of other tensors in the place of inputs and parameters, of whatever type."""
        arguments = list(self._inputs)
        for place, tensor in zip(self._places, tensors):
            arguments[place] = tensor
        if not self._is_module:
            return self._tensors(self._function(*arguments))
        from torch.nn.utils.stateless import functional_call
        named = dict(zip(self._parameter_names, tensors[len(self._places):]))
        return self._tensors(functional_call(self._function, named, tuple(arguments)))

    def _tangent(self, arrays: List[np.ndarray], v: List[np.ndarray]) -> Union[np.ndarray, str]:
        """By PyTorch's forward mode."""
        if self._second is not None:
            return "no forward derivative of gradients"
        torch, forward = self._torch, self._torch.autograd.forward_ad
        try:
            with warnings.catch_warnings(), forward.dual_level():
                warnings.simplefilter("ignore")
                duals = [forward.make_dual(torch.from_numpy(x).to(like.device), torch.from_numpy(dx).to(like.device))
                         for x, dx, like in zip(arrays, v, self._like)]
                outputs = [forward.unpack_dual(y) for y in self._outputs_of(duals)]
                return self._joined([torch.zeros_like(y.primal) if y.tangent is None else y.tangent for y in outputs])
        except Exception as error:
            return f"PyTorch's forward mode raises {type(error).__name__}"

    def _extended(self, arrays: List[np.ndarray]) -> Union[np.ndarray, str]:
        """The outputs for complex numbers."""
        if self._second is not None:
            return "not tried for gradients"
        torch = self._torch
        try:
            with warnings.catch_warnings(), torch.no_grad():
                warnings.simplefilter("ignore")
                outputs = self._outputs_of([torch.from_numpy(z).to(like.device) for z, like in zip(arrays, self._like)])
        except Exception as error:
            return f"the function raises {type(error).__name__} for complex numbers"
        return self._joined(outputs) if all(y.is_complex() for y in outputs) else "the function of complex numbers is real"

    def _joined(self, tensors: List[Any]) -> np.ndarray:
        """One array of all."""
        parts = [self._array(y) for y in tensors]
        if len(parts) == 1:
            return parts[0].astype(complex if parts[0].dtype.kind == "c" else float)
        return np.concatenate([np.ravel(p) for p in parts]).astype(complex if any(p.dtype.kind == "c" for p in parts) else float)

    def _tensors(self, returned: Any) -> List[Any]:
        torch = self._torch
        if isinstance(returned, torch.Tensor):
            parts = [returned]
        elif isinstance(returned, (tuple, list)):
            parts = list(returned)
        elif isinstance(returned, dict):
            parts = list(returned.values())
        else:
            raise Error(f"check_torch: the function returns {describe(returned)}; return a tensor, or a tuple, list or dict of tensors")
        floating = [y for y in parts if isinstance(y, torch.Tensor) and (y.is_floating_point() or y.is_complex())]
        if not floating:
            raise Error("check_torch: the function returns no floating point or complex tensor: there is nothing to differentiate")
        return floating

    def _grads(self, outputs: List[Any], leaves: List[Any], incoming: List[Any], create_graph: bool = False) -> List[Any]:
        reached = [(y, w) for y, w in zip(outputs, incoming) if y.requires_grad]
        if not reached:
            return [self._torch.zeros_like(x) for x in leaves]
        ys, ws = zip(*reached)
        try:
            found = self._torch.autograd.grad(ys, leaves, ws, allow_unused=True, create_graph=create_graph)
        except Exception as error:
            raise Error(f"check_torch: the backward pass raises {type(error).__name__}: {' '.join(str(error).split())}") from error
        return [self._torch.zeros_like(x) if g is None else g for x, g in zip(leaves, found)]

    def _first_gradients(self, arrays: List[np.ndarray]) -> Tuple[List[Any], List[Any]]:
        """For the second order: the gradient of L = Re(sum(conj(w) * outputs)) for one fixed w, still on the graph."""
        outputs, leaves = self._outputs(arrays, True)
        generator = self._torch.Generator().manual_seed(self._second)
        incoming = [(0.5 + self._torch.rand(y.shape, dtype=self._torch.double, generator=generator)).to(y.device, y.dtype) for y in outputs]
        return self._grads(outputs, leaves, incoming, create_graph=True), leaves

    def _value(self, arrays: List[np.ndarray]) -> np.ndarray:
        outputs = self._outputs(arrays, False)[0] if self._second is None else self._first_gradients(arrays)[0]
        y = self._joined(outputs)
        if not np.isfinite(y).all() and not self._point_seen:
            raise Error("check_torch: the function's value is not finite at the inputs: there is no derivative to compare with")
        self._point_seen = True
        return y

    _point_seen = False

    def _gradients(self, arrays: List[np.ndarray], w: np.ndarray) -> List[np.ndarray]:
        outputs, leaves = self._outputs(arrays, True) if self._second is None else self._first_gradients(arrays)
        incoming, begin, flat = [], 0, w.ravel()
        for y in outputs:
            part = flat[begin : begin + y.numel()].reshape(tuple(y.shape))
            incoming.append(self._torch.from_numpy((part if y.is_complex() else part.real).copy()).to(y.device, y.dtype))
            begin += y.numel()
        return [self._array(g) for g in self._grads(outputs, leaves, incoming)]
