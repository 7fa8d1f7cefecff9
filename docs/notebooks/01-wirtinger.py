# %% start
import argand as ag
import numpy as np

# %% after ## Downhill
loss = lambda z: ag.abs2(z**2 + 1)
start, rate = 1 + 0.5j, 1e-3
g = ag.grad(loss)(start).item()
print("L falls by", float(loss(ag.constant(start))) - float(loss(ag.constant(start - rate * g))), "and to first order by", rate * abs(g) ** 2)

# %% prints $ argand lab "f(z) = |z|^2 * exp(i*angle(z))" --at 1+2i
print(ag.lab("f(z) = |z|^2 * exp(i*angle(z))", at=1 + 2j))

# %% after ## Backwards through a function
# One layer, w = z + z̄/2: a = 1, b = 1/2. The tape's gradient is conj(a) g + b conj(g).
g_w = 0.3 + 0.8j
z = ag.variable(1 + 0.5j)
w = z + z.conj() / 2
w.backward(g_w)
print(z.grad.item(), "=", g_w + np.conj(g_w) / 2)

# %% prints $ argand lab "abs2(z^2 + 1)" --at 1+0.5i
print(ag.lab("abs2(z^2 + 1)", at=1 + 0.5j))

# %% after $ 02_first_gradient
z = ag.variable(1 + 0.5j)
for step in range(61):
    L = ag.abs2(z**2 + 1)
    z.zero_grad()
    L.backward()
    if step % 15 == 0:
        print(f"step {step:2}  z = {z.item():.6g}  L = {float(L):.6g}")
    z.data -= 0.05 * z.grad

# %% after $ argand explain abs2
z = ag.variable(1 + 2j)
ag.abs2(z).backward()
print(z.grad)  # 2 z, since the incoming gradient is 1

# %% after $ argand gradcheck exp abs2 conj
kinds = {op.name: op.kind for op in ag.ops()}
for name in ("exp", "abs2", "conj"):
    print(f"{name:5} {kinds[name]}")

# %% after ## A first network
samples, width = 200, 8
k = np.arange(samples)
x = (k + 0.5) / samples * np.exp(1j * np.fmod(2.4 * k, np.pi / 2))  # moduli from 0 to 1, phases from 0° to 90°


def tube(s):
    r2 = np.abs(s) ** 2
    return 2.1587 / (1 + 1.1517 * r2) * s * np.exp(4.0033j * r2 / (1 + 9.1040 * r2))


i = np.arange(width)
w, v, c = ag.variable(np.exp(2.4j * i)), ag.variable(0.3 * np.exp(-2.4j * i)), ag.variable(-i / width)


def network(x):
    return ag.modrelu(ag.outer(ag.constant(x), w), c) @ v


for step in range(3001):
    L = ag.abs2(network(x) - tube(x)).mean()
    if step % 1000 == 0:
        print(f"step {step:4}  L = {float(L):.6f}")
    L.backward()
    for p in (w, v, c):
        p.data -= 0.1 * p.grad
        p.zero_grad()
for degrees in (45, 225):
    s = 0.6 * np.exp(1j * np.radians(degrees))
    print(f"0.6 at {degrees:3}°   the tube {tube(s):.4f}   the network {network(np.array([s])).item():.4f}")

# %% after ## Second derivatives, and saddles
H = ag.hessian(lambda z: ag.abs2(z**2 + 1), 0j).numpy()
print(H, "eigenvalues", np.linalg.eigvalsh(H), "- a saddle")
