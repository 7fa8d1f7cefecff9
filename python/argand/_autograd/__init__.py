"""Tensors, the tape, and derivatives as functions: what argand.variable and its neighbours are made of."""
from ._functions import grad, gradients, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from ._methods import add_methods
from ._own_op import OwnOp, op
from ._shapes import flatten, squeeze, unsqueeze
from ._tensors import constant, no_grad, tensor, variable

__all__ = ["OwnOp", "add_methods", "constant", "flatten", "grad", "gradients", "hessian", "hvp", "jacobian", "jvp", "no_grad", "op", "squeeze", "tensor",
           "unsqueeze", "value_and_grad", "variable", "vjp"]
