"""A layer whose backward pass was written by hand."""
import argand
import torch


class ModReLU(torch.autograd.Function):
    """w = z relu(|z| - b) / |z|, for a bias b; its backward pass forgets that |z| depends on z."""

    @staticmethod
    def forward(ctx, z, b):
        share = torch.relu(z.abs() - b) / z.abs()
        ctx.save_for_backward(z, b, share)
        return z * share

    @staticmethod
    def backward(ctx, dw):
        z, b, share = ctx.saved_tensors
        inside = z.abs() > b
        return dw * share, (-(z / z.abs()).conj() * dw).real * inside


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3, dtype=torch.cfloat)
        self.b = torch.nn.Parameter(torch.full((3,), 0.1))

    def forward(self, z):
        return ModReLU.apply(self.linear(z), self.b)


torch.manual_seed(0)
z = torch.tensor([[1 + 1j, 0.5, -2j]])
print(argand.check_torch(torch.nn.Linear(3, 3, dtype=torch.cfloat), z))
print(argand.check_torch(Layer(), z))
