"""120 PyTorch functions with correct and with wrong gradients, for bench/gradcheck_battery.py."""
import torch

from .case import Case
from .first_order import conjugated, factors, kinks, lost_terms, noise, one_element
from .hidden import incoming, nested, second_order, small_parameters, stale
from .narrow import half_precision, stochastic


def all_cases():
    torch.manual_seed(0)
    return [case for kind in (conjugated, factors, lost_terms, kinks, one_element, noise, nested, second_order, small_parameters, stale,
                              half_precision, stochastic, incoming) for case in kind()]
