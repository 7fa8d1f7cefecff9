# %% start
import argand as ag
import numpy as np

# %% after ## Matrices: transpose and conjugate
# The rules for C = A B, compared with the tape.
numbers = np.random.default_rng(1)
draw = lambda *shape: numbers.standard_normal(shape) + 1j * numbers.standard_normal(shape)
A, B, dC = ag.variable(draw(2, 3)), ag.variable(draw(3, 4)), draw(2, 4)
(A @ B).backward(dC)
print(np.allclose(A.grad, dC @ B.numpy().conj().T), np.allclose(B.grad, A.numpy().conj().T @ dC))

# %% after ### modReLU: a threshold for the modulus
z, c = 0.3 + 0.6j, -0.5
a, b = 1 + c / (2 * abs(z)), -c * z / (2 * np.conj(z) * abs(z))
point = ag.lab(f"modrelu(z, {c})", at=z)
print(np.allclose(a, point.dz.value), np.allclose(b, point.dzbar.value))

# %% after ## The same with the library
class Network(ag.nn.Module):
    def __init__(self):
        self.inward = ag.nn.Linear(1, 8, bias=False, dtype=complex)
        self.out = ag.nn.Linear(8, 1, bias=False, dtype=complex)
        self.c = ag.variable(np.random.default_rng(0).normal(0, 0.5, 8))

    def forward(self, x):
        return self.out(ag.modrelu(self.inward(x), self.c))


def tube(s):
    r2 = np.abs(s) ** 2
    return 2.1587 / (1 + 1.1517 * r2) * s * np.exp(4.0033j * r2 / (1 + 9.1040 * r2))


def signals(sector, count=200):
    n = np.arange(count)
    return ((n + 0.5) / count * np.exp(1j * sector * ((0.618034 * n) % 1)))[:, None]


ag.nn.manual_seed(0)
net = Network()
optimizer = ag.optim.AdamW(net.parameters(), lr=0.02, weight_decay=0, complex_moments="modulus")
quarter, circle = signals(np.pi / 2), signals(2 * np.pi)
for step in range(1000):
    optimizer.zero_grad()
    ag.abs2(net(ag.constant(quarter)) - tube(quarter)).mean().backward()
    optimizer.step()
for name, s in (("the quarter it has seen", quarter), ("the whole circle", circle)):
    error = ag.abs2(net(ag.constant(s)) - tube(s)).mean() / np.mean(np.abs(tube(s)) ** 2)
    print(f"{name}: {100 * float(error):.2f} % of the power")

# %% after $ signal_depth
n = 256
numbers = np.random.default_rng(1)
noise = lambda *shape: (numbers.standard_normal(shape) + 1j * numbers.standard_normal(shape)) / np.sqrt(2)
for name, f, gain in (("none", lambda h: h, 1), ("none, Re and Im each 1/n", lambda h: h, 2), ("split ReLU", ag.crelu, 2), ("cardioid", ag.cardioid, 8 / 3)):
    h, line = ag.constant(noise(64, n)), f"{name:<26}"
    for layer in range(1, 11):
        h = f(ag.linear(h, ag.constant(noise(n, n) * np.sqrt(gain / n))))
        if layer in (1, 2, 5, 10):
            line += f"{float(ag.abs2(h).mean()):11.4f}"
    print(line)

# %% after $ attention_gradient
T, d = 5, 3
Q, K, V, dO = ag.variable(draw(T, d)), ag.variable(draw(T, d)), ag.variable(draw(T, d)), draw(T, d)
scale = 1 / np.sqrt(2 * d)
P = ag.softmax((Q @ K.conj().transpose(0, 1)).real * scale, -1)
(P.to_complex() @ V).backward(dO)

p, q, k, v = P.numpy(), Q.numpy(), K.numpy(), V.numpy()
dP = (dO @ v.conj().T).real
dS = p * (dP - np.sum(p * dP, axis=-1, keepdims=True))
for name, by_hand, x in (("dV", p.T @ dO, V), ("dQ", scale * dS @ k, Q), ("dK", scale * dS.T @ q, K)):
    print(f"{name} by hand and by the tape agree to 1e-14: {'yes' if np.abs(by_hand - x.grad.numpy()).max() < 1e-14 else 'no'}")
