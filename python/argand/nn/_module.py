"""Module: the base class of layers and networks."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Tuple

import numpy as np

from .._argand import Error, Tensor
from .._autograd._instead import no_attribute


class Module:
    """A part of a network. Define `forward`; fields that are variables become its parameters, and fields that are modules, or lists,
    tuples and dicts of either, are searched too.

    >>> import argand as ag
    >>> class Plane(ag.nn.Module):
    ...     def __init__(self):
    ...         self.turn = ag.nn.Linear(2, 2, dtype=complex)
    ...         self.scale = ag.variable(1.0)
    ...     def forward(self, z):
    ...         return self.scale * self.turn(z)
    >>> list(Plane().state_dict())
    ['turn.weight', 'turn.bias', 'scale']
    """

    training: bool = True

    def forward(self, *inputs: Any, **options: Any) -> Any:
        """The computation of the module, called by module(...)."""
        raise NotImplementedError(f"{type(self).__name__} does not define forward")

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        return self.forward(*inputs, **options)

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise no_attribute(f"'{type(self).__name__}' object", name)

    def named_modules(self, prefix: str = "") -> Iterator[Tuple[str, "Module"]]:
        """(name, module) for this module, then for those inside, each once."""
        seen = set()
        open_: List[Tuple[str, Module]] = [(prefix, self)]
        while open_:
            name, module = open_.pop(0)
            if id(module) in seen:
                continue
            seen.add(id(module))
            yield name, module
            inside = [(_joined(name, field), m) for field, m in module._fields() if isinstance(m, Module)]
            open_ = inside + open_

    def modules(self) -> Iterator["Module"]:
        """This module, then those inside, each once."""
        return (module for _, module in self.named_modules())

    def children(self) -> Iterator["Module"]:
        """The modules among its fields."""
        return (field for _, field in self._fields() if isinstance(field, Module))

    def apply(self, f: Callable[["Module"], Any]) -> "Module":
        """Calls f with each of its modules."""
        for module in self.modules():
            f(module)
        return self

    def named_parameters(self) -> Iterator[Tuple[str, Tensor]]:
        """(name, variable): "blocks.0.weight". A shared one appears once, under the first of its names."""
        seen = set()
        for name, value in self._walk("", set()):
            if id(value) not in seen:
                seen.add(id(value))
                yield name, value

    def parameters(self) -> List[Tensor]:
        """The variables, in a fixed order; sets each one's name."""
        found = []
        for name, value in self.named_parameters():
            value.name = name
            found.append(value)
        return found

    def state_dict(self) -> Dict[str, np.ndarray]:
        """The parameters' values by name, as copies that later steps do not change: `argand.save(path, net.state_dict())`."""
        return {name: value.numpy() for name, value in self.named_parameters()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Loads a state_dict(). Raises Error if a name is missing or unknown or a shape differs; then nothing is changed."""
        own = dict(self.named_parameters())
        missing, unknown = sorted(set(own) - set(state)), sorted(set(state) - set(own))
        if missing or unknown:
            raise Error("load_state_dict: " + "; ".join(f"{what} {', '.join(names)}" for what, names in
                                                        (("missing", missing), ("unknown", unknown)) if names))
        for name, value in own.items():
            shape = np.shape(state[name])
            if shape != value.shape:
                raise Error(f"load_state_dict: {name} has shape {list(value.shape)}, but the saved array has shape {list(shape)}")
        for name, value in own.items():
            value.assign(np.asarray(state[name]))

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clears all gradients by setting grad to None, which PyTorch calls set_to_none=True; False raises an error."""
        if not set_to_none:
            raise Error("zero_grad: set_to_none=False is not supported; a cleared gradient is None")
        for value in self.parameters():
            value.zero_grad()

    def train(self, on: bool = True) -> "Module":
        """Sets training mode (dropout active), or evaluation mode with on=False."""
        for _, module in self.named_modules():
            module.training = on
        return self

    def eval(self) -> "Module":
        """The same as train(False)."""
        return self.train(False)

    def extra_repr(self) -> str:
        """The text between the parentheses of its repr."""
        return ""

    def __repr__(self) -> str:
        inside = [(field, m) for field, m in self._fields() if isinstance(m, Module)]
        if not inside:
            return f"{type(self).__name__}({self.extra_repr()})"
        lines = [f"({field}): {module!r}" for field, module in inside]
        return f"{type(self).__name__}(\n" + "\n".join("  " + line for text in lines for line in text.split("\n")) + "\n)"

    def _fields(self) -> Iterator[Tuple[str, Any]]:
        for name, value in vars(self).items():
            yield from _looked_into(name, value)

    def _walk(self, prefix: str, above: Any) -> Iterator[Tuple[str, Tensor]]:
        if id(self) in above:
            raise Error(f"parameters: {prefix or type(self).__name__} contains itself")
        for field, value in self._fields():
            name = _joined(prefix, field)
            if isinstance(value, Module):
                yield from value._walk(name, above | {id(self)})
            elif value.is_variable:
                yield name, value


class ModuleList(Module):
    """A list of modules, named by their indices."""

    def __init__(self, modules: Any = ()) -> None:
        self._modules = list(modules)

    def _fields(self) -> Iterator[Tuple[str, Any]]:
        for i, module in enumerate(self._modules):
            yield str(i), module

    def append(self, module: Module) -> None:
        self._modules.append(module)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)

    def __getitem__(self, i: int) -> Module:
        return self._modules[i]


class Sequential(ModuleList):
    """Modules, or functions, one after the other."""

    def __init__(self, *modules: Any) -> None:
        super().__init__(modules)

    def _fields(self) -> Iterator[Tuple[str, Any]]:
        return ((name, module) for name, module in super()._fields() if isinstance(module, Module))

    def forward(self, x: Any) -> Any:
        for module in self._modules:
            x = module(x)
        return x


def _looked_into(name: str, value: Any) -> Iterator[Tuple[str, Any]]:
    if isinstance(value, (Tensor, Module)):
        yield name, value
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from _looked_into(f"{name}.{i}", item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _looked_into(f"{name}.{key}", item)


def _joined(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name
