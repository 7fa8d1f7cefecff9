"""Adapts a function of PyTorch tensors to the judge, which calls functions of lists of arrays."""
from __future__ import annotations

import contextlib
import copy
import inspect
import io
import warnings
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple, Union

import numpy as np

from ._argand import Error
from ._judge import Problem, Value, call, sentence_of
from ._points import search
from ._result import Result
from ._trees import Leaf, children, describe, mapped, walk


class Subject:
    """A function of arrays: the inputs, then the parameters, then, for the second order, the incoming gradient."""

    def __init__(self, torch: Any, function: Callable[..., Any], inputs: Tuple[Any, ...], kwargs: Mapping[str, Any], who: str, dtype: Any,
                 second: Optional[int] = None) -> None:
        if not callable(function):
            raise Error(f"{who}: expected a module or a function followed by its inputs, got {describe(function)}")
        self._torch, self._who, self._second = torch, who, second
        self._real, self._complex = self._types(dtype)
        self._is_module = isinstance(function, torch.nn.Module)
        self._name = type(function).__name__ if self._is_module else getattr(function, "__name__", type(function).__name__)
        names = self._input_names(function.forward if self._is_module else function, inputs, kwargs)
        given = [leaf for name, tree in names for leaf in walk(tree, name)]
        for name, x in given:
            self._refuse_tensor(name, x)
        self._function = self._copied(function) if self._is_module else function
        self._tree = mapped((tuple(inputs), dict(kwargs)), lambda x: self._wide(x.detach()) if isinstance(x, torch.Tensor) else x)
        self._plain = not kwargs and all(self._is_differentiable(x) for x in inputs)  # if so, the arguments are plain tensors
        leaves = [(n, x) for (n, _), (_, x) in zip(given, walk(self._tree, "")) if self._is_differentiable(x)]
        parameters = [(n, p) for n, p in self._function.named_parameters() if p.requires_grad] if self._is_module else []
        self._parameters = [p for _, p in parameters]
        self._count = len(leaves)
        self._like = [x for _, x in leaves] + [p.detach().clone() for p in self._parameters]
        names_of = [n for n, _ in leaves] + [n for n, _ in parameters]
        if not self._like:
            kinds = ", ".join(str(x.dtype) if isinstance(x, torch.Tensor) else describe(x) for _, x in given) or "none"
            raise Error(f"{who}: no floating point or complex tensor to differentiate with respect to (inputs: {kinds})")
        for name, x in zip(names_of, self._like):
            if x.numel() == 0 or not np.isfinite(self._array(x)).all():
                raise Error(f"{who}: {name} {'is empty' if x.numel() == 0 else 'contains NaN or infinity'}; choose another point")
        self._leaves = [Leaf(n, self._array(x), lambda a: a) for n, x in zip(names_of, self._like)]
        narrow = [x for _, x in given if self._is_differentiable(x)] + (list(function.parameters()) if self._is_module else [])
        precise = self._real is torch.double
        self._notes = ["checked in double precision"] if precise and any(self._wide(x.detach()).dtype != x.dtype for x in narrow) else []
        if not precise:
            self._notes = [f"checked in {str(self._real).split('.')[-1]}"]
        self._value = Value(self._compute)
        self._point_seen = False
        self._incoming_names: List[str] = []
        if second is not None:
            self._add_incoming()

    def problem(self) -> Problem:
        noise = None if self._real is self._torch.double else float(self._torch.finfo(self._real).eps)
        first = self._second is None
        return Problem(self._name if first else f"gradient of {self._name}", self._leaves, self._value, self._gradients, self._tangent if first else _no_tangent,
                       self._extended if first else None, self._notes, self._function if self._is_module else None, noise)

    def at_points(self, points: int, seed: int, judge_at: Callable[[Any, Any, Any], Result]) -> Result:
        """Checks at several points of the inputs, or of the parameters if no input is differentiable."""
        count = self._count or len(self._like)
        rest = [leaf.array for leaf in self._leaves[count:]]

        def call_at(arrays: List[np.ndarray]) -> Tuple[Any, Any]:
            tensors = [self._tensor(a.copy(), x) for a, x in zip(arrays, self._like)]
            if self._count:
                return self._arguments(tensors)
            with self._torch.no_grad():
                for parameter, tensor in zip(self._parameters, tensors):
                    parameter.copy_(tensor)
            return self._tree

        def value(arrays: List[np.ndarray]) -> Optional[np.ndarray]:
            try:
                y = self._joined(self._evaluated([a.copy() for a in arrays] + rest, False)[0])
                return y if np.all(np.isfinite(y)) else None
            except Exception:
                return None

        def gradient(arrays: List[np.ndarray]) -> Optional[np.ndarray]:
            y = value(arrays)
            try:
                return None if y is None else np.concatenate([np.ravel(g) for g in self._gradients([a.copy() for a in arrays] + rest, np.ones_like(y))])
            except Exception:
                return None

        return search(lambda arrays: judge_at(self._function, *call_at(arrays)), lambda arrays: value(arrays) is not None, gradient, self._leaves[:count],
                      points, seed, lambda arrays: call_at(arrays)[0] if self._count else [a.copy() for a in arrays])

    # The subject as given

    def _types(self, dtype: Any) -> Tuple[Any, Any]:
        torch = self._torch
        pairs = {torch.float64: torch.complex128, torch.float32: torch.complex64, torch.float16: getattr(torch, "complex32", None), torch.bfloat16: None}
        if dtype is not None and dtype not in pairs:
            raise Error(f"{self._who}: dtype must be torch.double, torch.float, torch.half or torch.bfloat16, got {dtype!r}")
        return (torch.float64, torch.complex128) if dtype is None else (dtype, pairs[dtype])

    @staticmethod
    def _input_names(function: Callable[..., Any], inputs: Tuple[Any, ...], kwargs: Mapping[str, Any]) -> List[Tuple[str, Any]]:
        """The arguments, each with its parameter's name; x, or x0, x1, ... if the names cannot be found."""
        try:
            kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
            names = [p.name for p in inspect.signature(function).parameters.values() if p.kind in kinds]
        except (TypeError, ValueError):
            names = []
        if len(names) < len(inputs):
            names = ["x"] if len(inputs) == 1 else [f"x{k}" for k in range(len(inputs))]
        return [*zip(names, inputs), *kwargs.items()]

    def _refuse_tensor(self, name: str, x: Any) -> None:
        if not isinstance(x, self._torch.Tensor):
            return
        if x.is_meta:
            raise Error(f"{self._who}: {name} is on the meta device and has no data; create it on a real device")
        if x.layout is not self._torch.strided or getattr(x, "is_nested", False):
            kind = "nested" if getattr(x, "is_nested", False) else str(x.layout).split(".")[-1]
            raise Error(f"{self._who}: {name} is {kind}; pass its values to a function that builds it, or make it dense with {name}.to_dense()")
        if x.is_quantized:
            raise Error(f"{self._who}: {name} is quantized, and integers have no derivative; pass {name}.dequantize()")

    def _copied(self, module: Any) -> Any:
        for name, x in [*module.named_parameters(), *module.named_buffers()]:
            self._refuse_tensor(name, x)
        uninitialized = getattr(self._torch.nn.parameter, "UninitializedParameter", ())
        for name, p in module.named_parameters():
            if isinstance(p, uninitialized):
                raise Error(f"{self._who}: {name} is not initialized yet; call the module once before checking it")
        if not isinstance(module, self._torch.jit.ScriptModule):
            # A tensor that a forward pass stored in an attribute is not a leaf, and deepcopy refuses it.
            left = {id(v): v.detach().clone() for m in module.modules() for v in vars(m).values()
                    if isinstance(v, self._torch.Tensor) and not v.is_leaf}
            return copy.deepcopy(module, left)._apply(self._wide)
        file = io.BytesIO()  # a deep copy of a scripted module has parameters that are not leaves
        self._torch.jit.save(module, file)
        file.seek(0)
        copied = self._torch.jit.load(file)
        copied._apply(self._wide)
        return copied

    def _is_differentiable(self, x: Any) -> bool:
        return isinstance(x, self._torch.Tensor) and (x.is_floating_point() or x.is_complex())

    def _wide(self, x: Any) -> Any:
        if x.is_floating_point():
            return x.to(self._real)
        if x.is_complex() and self._complex is None:
            raise Error(f"{self._who}: {str(self._real).split('.')[-1]} has no complex counterpart")
        return x.to(self._complex) if x.is_complex() else x

    def _add_incoming(self) -> None:
        """Adds fixed random numbers as the incoming gradient (grad_out), on which the first gradient also depends."""
        torch = self._torch
        returned = self._call([leaf.array for leaf in self._leaves], False)[0]
        generator = torch.Generator().manual_seed(self._second)
        for name, y in walk(returned, "grad_out"):
            if self._is_differentiable(y):
                w = torch.view_as_complex(0.5 + torch.rand((*y.shape, 2), dtype=torch.double, generator=generator)) if y.is_complex() else (
                    0.5 + torch.rand(y.shape, dtype=torch.double, generator=generator))
                self._like.append(w.to(y.device, y.dtype))
                self._leaves.append(Leaf(name, self._array(w), lambda a: a))

    # Arrays and tensors

    @staticmethod
    def _array(x: Any) -> np.ndarray:
        x = x.detach().resolve_conj().resolve_neg().cpu()
        return np.array(x.to(_wide_type(x)).numpy())

    def _tensor(self, a: np.ndarray, like: Any) -> Any:
        return self._torch.from_numpy(_writable(a)).to(like.device, like.dtype)

    def _arguments(self, tensors: List[Any]) -> Tuple[Any, Any]:
        if self._plain:
            return tuple(tensors), {}
        left = list(tensors)
        return mapped(self._tree, lambda x: left.pop(0) if self._is_differentiable(x) else x)

    def _call(self, arrays: List[np.ndarray], differentiable: bool) -> Tuple[Any, List[Any]]:
        """The function's return value, and the tensors it depends on."""
        torch, count = self._torch, self._count
        tensors = [self._tensor(a, x).requires_grad_(differentiable) for a, x in zip(arrays[:count], self._like)]
        inputs, kwargs = self._arguments(tensors)
        for parameter, a in zip(self._parameters, arrays[count:]):
            if parameter.requires_grad:
                parameter.requires_grad_(False)
            parameter.copy_(torch.from_numpy(a))
            if differentiable:
                parameter.requires_grad_()
        # A leaf must not be modified in place; on a non-leaf, such a modification can be detected and reported.
        before = [t._version for t in tensors]
        with torch.enable_grad():
            returned = call(self._function, inputs, "the function", kwargs)
        if [t._version for t in tensors] != before:
            raise Error(f"{self._who}: the function modifies its input in place; work on a clone instead")
        return returned, tensors + self._parameters

    def _call_elsewhere(self) -> None:
        """Runs between forward and backward: another forward pass must not change what the first one saved for its gradient."""
        elsewhere = self._value.elsewhere
        if elsewhere is None or self._count == 0:
            return
        inputs, kwargs = self._arguments([self._tensor(a, x) for a, x in zip(elsewhere, self._like[: self._count])])
        with contextlib.suppress(Exception), warnings.catch_warnings(), self._torch.enable_grad():
            warnings.simplefilter("ignore")
            self._function(*inputs, **kwargs)

    def _outputs(self, returned: Any) -> List[Any]:
        """Every floating-point or complex tensor in the returned value."""
        torch = self._torch
        if not isinstance(returned, torch.Tensor) and children(returned) is None:
            raise Error(f"{self._who}: the function returns {describe(returned)}; return a tensor, or a tuple, list or dict of tensors")
        found = []
        for name, y in walk(returned, "output"):
            self._refuse_tensor(name, y)
            if self._is_differentiable(y):
                found.append(y)
            elif not (y is None or isinstance(y, (torch.Tensor, bool, int, float, complex, str, np.ndarray, np.generic, torch.dtype, torch.device))):
                raise Error(f"{self._who}: {name} is {describe(y)}, whose tensors cannot be found; return them in tuples, lists, dicts, named tuples or dataclasses")
        if not found:
            raise Error(f"{self._who}: the function returns no floating point or complex tensor, so there is nothing to differentiate")
        return found

    def _joined(self, tensors: List[Any]) -> np.ndarray:
        """Concatenates all of them into one array."""
        parts = [self._array(y) for y in tensors]
        if len(parts) == 1:
            return parts[0]
        return np.concatenate([np.ravel(p) for p in parts]).astype(complex if any(p.dtype.kind == "c" for p in parts) else float)

    # What the judge calls

    def _grads(self, outputs: List[Any], leaves: List[Any], incoming: List[Any], create_graph: bool = False) -> List[Any]:
        reached = [(y, w) for y, w in zip(outputs, incoming) if y.requires_grad]
        if not reached:
            return [self._torch.zeros_like(x) for x in leaves]
        ys, ws = zip(*reached)
        try:
            found = self._torch.autograd.grad(ys, leaves, ws, allow_unused=True, create_graph=create_graph)
        except Exception as error:
            raise Error(f"{self._who}: the backward pass raises {type(error).__name__}{sentence_of(error)}") from error
        dense = [g.to_dense() if g is not None and g.layout is not self._torch.strided else g for g in found]
        return [self._torch.zeros_like(x) if g is None else g for x, g in zip(leaves, dense)]

    def _evaluated(self, arrays: List[np.ndarray], differentiable: bool, elsewhere: bool = False) -> Tuple[List[Any], List[Any]]:
        """The outputs and their dependencies. For the second order, the gradient of L = Re(sum(conj(w) * outputs)), still on the
        graph."""
        if self._second is None:
            returned, leaves = self._call(arrays, differentiable)
            if elsewhere:
                self._call_elsewhere()
            return self._outputs(returned), leaves
        first = self._count + len(self._parameters)
        returned, leaves = self._call(arrays[:first], True)
        incoming = [self._tensor(a, like).requires_grad_(differentiable) for a, like in zip(arrays[first:], self._like[first:])]
        if elsewhere:
            self._call_elsewhere()
        return self._grads(self._outputs(returned), leaves, incoming, create_graph=True), leaves + incoming

    def _compute(self, arrays: List[np.ndarray]) -> np.ndarray:
        y = self._joined(self._evaluated(arrays, False)[0])
        if not self._point_seen and not np.isfinite(y).all():
            raise Error(f"{self._who}: the function's value is not finite at the inputs, so there is no derivative to compare with")
        self._point_seen = True
        return y

    def _gradients(self, arrays: List[np.ndarray], w: np.ndarray) -> List[np.ndarray]:
        try:
            return self._gradients_at(arrays, w, self._value.elsewhere is not None)
        except Error:
            if self._value.elsewhere is None:
                raise
        return self._gradients_at(arrays, w, False)  # PyTorch reports that the other call changed buffers that were still needed

    def _gradients_at(self, arrays: List[np.ndarray], w: np.ndarray, elsewhere: bool) -> List[np.ndarray]:
        outputs, leaves = self._evaluated(arrays, True, elsewhere)
        incoming, begin, flat = [], 0, w.ravel()
        for y in outputs:
            part = flat[begin : begin + y.numel()].reshape(tuple(y.shape))
            incoming.append(self._tensor(part if y.is_complex() else part.real, y))
            begin += y.numel()
        return [self._array(g) for g in self._grads(outputs, leaves, incoming)]

    @contextlib.contextmanager
    def _replaced(self, tensors: List[Any]) -> Iterator[None]:
        """Puts other tensors in place of the parameters wherever modules store them, including tied weights and flat lists of LSTM
        and GRU."""
        new: Dict[int, Any] = {id(p): t for p, t in zip(self._parameters, tensors)}
        undo: List[Tuple[Any, Any, Any]] = []
        try:
            for module in self._function.modules() if self._is_module else ():
                holders = [module._parameters, *(value for value in vars(module).values() if isinstance(value, list))]
                for holder in holders:
                    for key, value in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
                        if id(value) in new:
                            undo.append((holder, key, value))
                            holder[key] = new[id(value)]
            yield
        finally:
            for holder, key, value in undo:
                holder[key] = value

    def _outputs_of(self, tensors: List[Any]) -> List[Any]:
        """The outputs when other tensors, of any type, replace inputs and parameters."""
        inputs, kwargs = self._arguments(tensors[: self._count])
        with self._replaced(tensors[self._count :]):
            return self._outputs(self._function(*inputs, **kwargs))

    def _tangent(self, arrays: List[np.ndarray], v: List[np.ndarray]) -> Union[np.ndarray, str]:
        """The tangent, computed by PyTorch's forward mode."""
        torch, forward = self._torch, self._torch.autograd.forward_ad
        try:
            with warnings.catch_warnings(), forward.dual_level():
                warnings.simplefilter("ignore")
                duals = [forward.make_dual(self._tensor(x, like), self._tensor(dx, like)) for x, dx, like in zip(arrays, v, self._like)]
                outputs = [forward.unpack_dual(y) for y in self._outputs_of(duals)]
                if all(y.tangent is None for y in outputs):
                    return "PyTorch's forward mode returns no tangent"
                return self._joined([torch.zeros_like(y.primal) if y.tangent is None else y.tangent for y in outputs])
        except Exception as error:
            return f"PyTorch's forward mode raises {type(error).__name__}"

    def _extended(self, arrays: List[np.ndarray]) -> Union[np.ndarray, str]:
        """Evaluates the outputs at complex numbers."""
        torch = self._torch
        try:
            with warnings.catch_warnings(), torch.no_grad():
                warnings.simplefilter("ignore")
                outputs = self._outputs_of([torch.from_numpy(_writable(z)).to(like.device) for z, like in zip(arrays, self._like)])
        except Exception as error:
            return f"the function raises {type(error).__name__} for complex numbers"
        return self._joined(outputs) if all(y.is_complex() for y in outputs) else "the function returns real numbers for complex inputs"


def _writable(a: np.ndarray) -> np.ndarray:
    return a if a.flags.c_contiguous and a.flags.writeable else a.copy()


def _wide_type(x: Any) -> Any:
    import torch

    return torch.complex128 if x.is_complex() else torch.float64


def _no_tangent(x: List[np.ndarray], v: List[np.ndarray]) -> str:
    return "no forward derivative of gradients"
