"""A gradient, its tape, an op written in NumPy, and a network that learns z² on the unit circle."""
import argand as ag
import numpy as np

z = ag.variable(np.array([1 + 0.5j]))
L = ag.abs2(z**2 + 1).sum()
L.backward()
print(z.grad)                    # dL/dx + i dL/dy
print(L.tape())                  # in a notebook, a picture


@ag.op                           # a custom op, checked when its gradient is attached
def squash(z):
    return z / (1 + np.abs(z) ** 2)


@squash.vjp
def _(g, z, w):
    d = 1 + np.abs(z) ** 2
    return g / d - 2 * z * np.real(np.conj(g) * z) / d**2


ag.nn.manual_seed(0)
net = ag.nn.Sequential(ag.nn.Linear(1, 16, dtype=complex), squash, ag.nn.Linear(16, 1, dtype=complex))
opt = ag.optim.AdamW(net.parameters(), lr=1e-2)
x = np.exp(1j * np.linspace(0, 6, 50)).reshape(-1, 1)
for step in range(200):
    opt.zero_grad()
    loss = ag.abs2(net(ag.constant(x)) - x**2).mean()
    loss.backward()
    opt.step()
    if step % 66 == 0:
        print(f"step {step:3}  loss {loss.item():.1g}")
