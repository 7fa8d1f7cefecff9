"""argand.check_torch and check_module: checks of gradients computed by PyTorch, for functions and modules."""
from __future__ import annotations

import os
from typing import Any, Callable, Mapping, Optional, Union

from ._argand import Error
from ._judge import Options, judge, sentence_of
from ._replay import recorded
from ._result import GradientError, Inconclusive, Result
from ._torch_subject import Subject
from ._trees import describe


@recorded
def check_torch(function: Callable[..., Any], *inputs: Any, kwargs: Optional[Mapping[str, Any]] = None, order: int = 1, dtype: Any = None,
                points: int = 1, replay: Union[None, str, "os.PathLike[str]"] = None, **options: Any) -> Result:
    """Is what `backward` returns the gradient of `function(*inputs, **kwargs)`?

    `function` takes and returns tensors, or tuples, lists, dicts, named tuples or dataclasses of tensors (and so on, nested): a function,
    one with an autograd.Function inside, or a module, whose parameters are then checked as well. Derivatives are
    taken with respect to every floating point or complex tensor; anything else is passed through. The check works on copies: tensors
    and module are not modified.

    >>> import argand, torch
    >>> argand.check_torch(torch.tanh, torch.tensor([0.5, -1.0])).verdict
    'pass'

    order    2 checks the gradient of the gradient as well, with respect to inputs, parameters and the incoming gradient (grad_out).
    dtype    The real type to compute in: torch.double, or a narrower one, at whose precision the gradient is then judged. Complex
             tensors use the matching complex type.
    points   Check at this many points of the inputs, or of the parameters if no input is differentiable, as `argand.check` does.
    replay   A file to write this check to, for `argand.replay`.
    options  Those of `argand.check`: rtol, atol, noise, full, seed, seed_rng (which also restores a module's buffers before each call),
             max_calls, max_seconds.
    """
    return _checked("check_torch", function, inputs, kwargs or {}, order, dtype, points, options)


@recorded
def check_module(module: Any, *inputs: Any, kwargs: Optional[Mapping[str, Any]] = None, order: int = 1, dtype: Any = None,
                 points: int = 1, replay: Union[None, str, "os.PathLike[str]"] = None, **options: Any) -> Result:
    """`check_torch` for a torch.nn.Module: its inputs, including states, and all its parameters.

    >>> import argand, torch
    >>> lstm, x, state = torch.nn.LSTM(2, 3), torch.ones(4, 1, 2), (torch.zeros(1, 1, 3), torch.zeros(1, 1, 3))
    >>> result = argand.check_module(lstm, x, state)
    >>> result.verdict, [i.name for i in result.inputs][:3]
    ('pass', ['input', 'hx[0]', 'hx[1]'])
    """
    import torch

    if not isinstance(module, torch.nn.Module):
        raise Error(f"check_module: expected a torch.nn.Module followed by its inputs, got {describe(module)}")
    return _checked("check_module", module, inputs, kwargs or {}, order, dtype, points, options)


def _checked(who: str, function: Any, inputs: Any, kwargs: Mapping[str, Any], order: int, dtype: Any, points: int,
             given: Mapping[str, Any]) -> Result:
    import torch

    if order not in (1, 2):
        raise Error(f"{who}: order must be 1 (gradient only) or 2 (gradient and gradient of the gradient), got {order!r}")
    options = Options.of(who, given)
    try:
        subject = Subject(torch, function, inputs, kwargs, who, dtype)
        if points != 1:
            check = check_torch if who == "check_torch" else check_module
            return subject.at_points(points, options.seed, lambda function, inputs, kwargs: check(function, *inputs, kwargs=kwargs, order=order,
                                                                                                 dtype=dtype, **options.given()))
        result = judge(subject.problem(), options, who, "torch")
        if order == 1 or not result:
            return result
        return judge(Subject(torch, function, inputs, kwargs, who, dtype, second=options.seed).problem(), options, who, "torch")
    except (Error, GradientError, Inconclusive):
        raise
    except Exception as error:  # PyTorch's errors for functions or modules that it cannot copy, widen or call
        raise Error(f"{who}: {getattr(function, '__name__', type(function).__name__)} cannot be checked: {type(error).__name__}"
                    f"{sentence_of(error)}") from error
