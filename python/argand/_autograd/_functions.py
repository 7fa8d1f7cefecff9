"""Derivatives of functions, as functions. The convention everywhere is that of `backward`: dL/dx + i dL/dy."""
from __future__ import annotations

import threading
from typing import Any, Callable, List, Sequence, Tuple, Union

import numpy as np

from .. import _argand
from .._argand import Error, Tensor
from ._tensors import constant, no_grad, variable

Gradient = Any  # a Tensor, or a tuple with one Tensor per argument, whose length the type system cannot express


def gradients(L: Tensor, variables: Sequence[Tensor], seed: Any = None, *, retain_graph: bool = False) -> List[Tensor]:
    """dL/dx + i dL/dy of each of the variables, zeros where L does not depend on one; their `grad` is left unchanged.

    >>> import argand as ag
    >>> x, y = ag.variable(2.0), ag.variable(5.0)
    >>> ag.gradients(x * y, [x, y])
    [tensor(5., dtype=float64), tensor(2., dtype=float64)]

    With a seed w of L's shape, the gradients of Re(sum(conj(w) * L)): L may then be any tensor. Intermediate results are allowed as
    variables too.
    """
    return _argand.gradients(L, list(variables), seed, retain_graph)


def value_and_grad(f: Callable[..., Tensor]) -> Callable[..., Tuple[Union[float, Tensor], Gradient]]:
    """The function x -> (L, dL/dx + i dL/dy) of L = f(x), a real number; with several arguments the gradients are a tuple.

    >>> import argand as ag
    >>> ag.value_and_grad(lambda z: ag.abs2(z * z + 1).sum())([1 + 0.5j])
    (4.0625, tensor([9.+0.5j], dtype=complex128))
    """

    def both(*x: Any) -> Tuple[Union[float, Tensor], Gradient]:
        variables = [_fresh(a, "grad") for a in x]
        L = _called(f, variables, "value_and_grad")
        found = gradients(L, variables) if L.requires_grad else [constant(np.zeros_like(v.numpy())) for v in variables]
        if not L.requires_grad:
            L.item()
        return L.item(), found[0] if len(found) == 1 else tuple(found)

    return both


def grad(f: Callable[..., Tensor]) -> Callable[..., Gradient]:
    """The gradient of a real f, as a function; with several arguments it returns a tuple.

    >>> import argand as ag
    >>> ag.grad(lambda x: (x**3).sum())([1.0, 2.0])
    tensor([ 3., 12.], dtype=float64)
    """
    both = value_and_grad(f)
    return lambda *x: both(*x)[1]


def vjp(f: Callable[..., Tensor], *x: Any) -> Tuple[Tensor, Callable[[Any], Gradient]]:
    """(w, back) of w = f(*x): back(dw) is the vector-Jacobian product, the gradient of Re(sum(conj(dw) * f(*x))) with respect to x (a tuple
    for several arguments)."""
    variables = [_fresh(a, "vjp") for a in x]
    w = _called(f, variables, "vjp")

    def back(dw: Any) -> Gradient:
        found = gradients(w, variables, dw, retain_graph=True)
        return found[0] if len(found) == 1 else tuple(found)

    return w.detach(), back


def jvp(f: Callable[..., Tensor], x: Any, v: Any) -> Tensor:
    """J v, the derivative at t = 0 of f(x + t v), in f's shape. For several arguments x and v are tuples.

    >>> import argand as ag
    >>> ag.jvp(lambda z: ag.exp(z), [0j], [1j])
    tensor([0.+1.j], dtype=complex128)
    """
    points, directions = _several(x, v, "jvp")
    with no_grad(), _argand.ForwardMode():
        moving = [_argand.moving(_fresh(p, "jvp").detach(), d) for p, d in zip(points, directions)]
        return _argand.tangent_of(_called(f, moving, "jvp")).detach()


def hvp(f: Callable[..., Tensor], x: Any, v: Any) -> Gradient:
    """H v, the derivative of the gradient of a real f along v: exact up to rounding. For several arguments x and v are tuples, and so
    is the product. H is real-linear and symmetric: Re(sum(conj(u) * H v)) = Re(sum(conj(H u) * v)).

    >>> import argand as ag
    >>> ag.hvp(lambda x: (x**3).sum(), [1.0, 2.0], [1.0, 1.0])
    tensor([ 6., 12.], dtype=float64)
    """
    points, directions = _several(x, v, "hvp")
    variables = [_fresh(p, "hvp") for p in points]
    with _argand.ForwardMode():
        L = _called(f, [_argand.moving(z, d) for z, d in zip(variables, directions)], "hvp")
        slope = _argand.tangent_of(L)
    if L.size != 1 or L.dtype.kind == "c":
        raise Error(f"hvp: f returns {L.dtype} of shape {list(L.shape)}; the Hessian is defined only if f returns one real number")
    found = gradients(slope, variables) if slope.requires_grad else [constant(np.zeros_like(z.numpy())) for z in variables]
    return tuple(found) if isinstance(x, tuple) else found[0]


def hessian(f: Callable[[Tensor], Tensor], x: Any) -> Tensor:
    """The real Hessian [N, N] of a real f at x, N the degrees of freedom of x in order, a complex number counting as (Re, Im).

    >>> import argand as ag
    >>> ag.hessian(lambda z: ag.abs2(z).sum(), [1 + 2j])
    tensor([[2., 0.],
            [0., 2.]], dtype=float64)
    """
    point = _fresh(x, "hessian").numpy()
    columns = []
    for direction in _directions(point):
        columns.append(np.ascontiguousarray(np.asarray(hvp(f, point, direction))).reshape(-1).view(point.real.dtype))
    n = point.size * (2 if point.dtype.kind == "c" else 1)
    return constant(np.stack(columns, axis=1) + 0.0 if columns else np.zeros((n, n), point.real.dtype))


def jacobian(f: Callable[[Tensor], Tensor], x: Any) -> Union[Tensor, Tuple[Tensor, Tensor]]:
    """dw/dx of w = f(x) for real x, with shape w.shape + x.shape. For a complex z the pair (dw/dz, dw/d conj(z)): the second is 0 where f is
    holomorphic.

    >>> import argand as ag
    >>> ag.jacobian(lambda z: z * z, [1 + 1j])
    (tensor([[2.+2.j]], dtype=complex128), tensor([[0.+0.j]], dtype=complex128))
    """
    point = _fresh(x, "jacobian").numpy()
    columns = [np.asarray(jvp(f, point, direction)) for direction in _directions(point)]
    if not columns:
        raise Error("jacobian: x is empty")
    shape = columns[0].shape + point.shape
    if point.dtype.kind != "c":
        return constant(np.stack(columns, axis=-1).reshape(shape))
    along_x, along_y = np.stack(columns[0::2], axis=-1), np.stack(columns[1::2], axis=-1)
    by_z, by_conj = (along_x - 1j * along_y) / 2, (along_x + 1j * along_y) / 2
    return constant(by_z.astype(point.dtype).reshape(shape)), constant(by_conj.astype(point.dtype).reshape(shape))


def _directions(point: Any) -> Any:
    for i in range(point.size):
        for unit in (1, 1j) if point.dtype.kind == "c" else (1,):
            direction = np.zeros_like(point)
            direction.reshape(-1)[i] = unit
            yield direction


_calls = threading.local()  # .open: the number of functions being differentiated in this thread


def _fresh(x: Any, whom: str) -> Tensor:
    """Makes an independent variable at x. Raises for a tensor in a function being differentiated, because it would lose its history."""
    if isinstance(x, Tensor) and getattr(_calls, "open", 0) > 0:
        raise Error(f"{whom}: cannot be nested in another derivative; for second derivatives use hvp or hessian; to hold x fixed, pass x.numpy()")
    return variable(x.detach() if isinstance(x, Tensor) else x)


def _called(f: Callable[..., Tensor], x: Sequence[Tensor], whom: str) -> Tensor:
    _calls.open = getattr(_calls, "open", 0) + 1
    try:
        value = f(*x)
    finally:
        _calls.open -= 1
    if not isinstance(value, Tensor):
        raise TypeError(f"{whom}: f must return a Tensor computed with argand's ops, got {type(value).__name__}")
    return value


def _several(x: Any, v: Any, whom: str) -> Tuple[Sequence[Any], Sequence[Any]]:
    if not isinstance(x, tuple):
        return (x,), (v,)
    if not isinstance(v, tuple) or len(v) != len(x):
        raise Error(f"{whom}: x is a tuple of {len(x)} arguments, so v must be a tuple of {len(x)} directions")
    return x, v
