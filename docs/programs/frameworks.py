"""Computes gradients with PyTorch, to confirm what chapter 2 says about its convention.

  python3 docs/programs/frameworks.py
"""
import torch


def at(z):
    return torch.tensor(z, dtype=torch.complex128, requires_grad=True)


def show(text, g):
    print(f"{text:<36}{g.real:+.4f} {g.imag:+.4f}i")


z = at(1 + 2j)
(z.abs() ** 2).backward()
show("|z|^2", z.grad)

z = at(1 + 2j)
torch.exp(z).real.backward()
show("Re e^z", z.grad)

z = at(1 + 2j)
torch.exp(z).backward(torch.tensor(1.0 + 0j, dtype=torch.complex128))
show("e^z, incoming gradient 1", z.grad)

z = at(1 + 2j)
torch.exp(z).backward(torch.tensor(1j, dtype=torch.complex128))
show("e^z, incoming gradient i", z.grad)

# Three steps of Adam on a complex parameter with a constant gradient show how a step treats the real and the imaginary part.
z = at(0j)
adam = torch.optim.Adam([z], lr=0.1, eps=0)
for _ in range(3):
    z.grad = torch.tensor(3 + 4j, dtype=torch.complex128)
    adam.step()
show("Adam, three steps, gradient 3 + 4i", z.detach())
