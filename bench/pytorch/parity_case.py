"""A parity case from your own model: its parameters, one batch, and the results of PyTorch's autograd, in one file for
`argand parity`. docs/interop.md has a complete example.

    save_module_case("mine.safetensors", module, config, tokens, targets, to_argand)
"""
import json

import torch
import torch.nn.functional as F

from safetensors_io import save

FORMAT = "argand-parity/1"


def module_case(module, tokens, targets, to_argand=lambda name, x: {name: x}):
    """The tensors of a case. `module(tokens)` returns logits, [B, T, words] or [B, classes]; the loss is their mean cross entropy.

    `to_argand(name, x)` maps a parameter of the module to argand: {argand's name: the same values}. It may cut x into
    pieces or reshape it. It is called with values and with gradients, so it must not scale or add.
    """
    for name, p in module.named_parameters():
        if p.dtype not in (torch.float64, torch.complex128):
            raise TypeError(f"{name} is {p.dtype}; the bar of argand parity, 1e-9, needs double precision: call module.double()")
    with torch.no_grad():
        if not torch.equal(module(tokens), module(tokens)):
            raise ValueError("two calls of the module differ: switch dropout off with module.eval()")

    def loss_and_logits():
        logits = module(tokens)
        return F.cross_entropy(logits.flatten(0, -2), targets.flatten()), logits

    return case(dict(module.named_parameters()), tokens, targets, loss_and_logits, to_argand=to_argand)


def case(parameters, tokens, targets, loss_and_logits, kb=None, to_argand=lambda name, x: {name: x}):
    """The same for named leaves and a function without arguments that computes (loss, logits) from them."""
    def named(prefix, tensor_of):
        return {prefix + ours: part.clone() for name, p in parameters.items()
                for ours, part in to_argand(name, tensor_of(p)).items()}

    tensors = {"tokens": tokens, "targets": targets, **({"kb": kb} if kb is not None else {})}
    tensors.update(named("param.", lambda p: p.detach()))
    for p in parameters.values():
        p.grad = None
    loss, logits = loss_and_logits()
    loss.backward()
    tensors["expect.loss"], tensors["expect.logits"] = loss.reshape(1), logits
    tensors.update(named("expect.grad.", lambda p: torch.zeros_like(p) if p.grad is None else p.grad))
    return tensors


def save_case(path, tensors, config, optimizer=None):
    """`config`: a family and its keys, as in a run's config.json; keys that are left out take the family's defaults.
    `optimizer`: the settings of make_cases.py, if optimiser steps are to be compared as well."""
    metadata = {"format": FORMAT, "config": json.dumps(config)}
    if optimizer:
        metadata["optimizer"] = json.dumps(optimizer)
    save(path, tensors, metadata)


def save_module_case(path, module, config, tokens, targets, to_argand=lambda name, x: {name: x}):
    """Calls module_case and save_case."""
    save_case(path, module_case(module, tokens, targets, to_argand), config)
