"""Tensors, the tape, and derivatives as functions: the implementation of argand.variable and its relatives."""
from ._functions import grad, gradients, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from ._methods import add_methods
from ._own_op import OwnOp, op
from ._tensors import constant, no_grad, tensor, variable
from ._torch_names import eye, full, linspace, ones, ones_like, rand, randn, zeros, zeros_like

__all__ = ["OwnOp", "add_methods", "constant", "grad", "gradients", "hessian", "hvp", "jacobian", "jvp", "no_grad", "op", "tensor", "value_and_grad", "variable",
           "vjp", "eye", "full", "linspace", "ones", "ones_like", "rand", "randn", "zeros", "zeros_like"]
