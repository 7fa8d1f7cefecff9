# %% start
import argand as ag
import numpy as np

# %% prints $ turned_adam
for moments, name in (("two", "two second moments"), ("modulus", "one, of |g|")):
    print(f"{name}\n{'turned by':>8}{'after 1 step':>22}{'after 20 steps':>22}")
    for degrees in (0, 30, 45, 90):
        turn = np.exp(1j * np.radians(degrees))
        z, line = ag.variable(turn * (1 + 0.5j)), f"{degrees:>8}"
        optimizer = ag.optim.AdamW([z], lr=0.05, betas=(0.9, 0.98), weight_decay=0, complex_moments=moments)
        for step in range(1, 21):
            z.zero_grad()
            ag.abs2((z * np.conj(turn)) ** 2 + 1).backward()
            optimizer.step()
            place = z.item() * np.conj(turn)
            if step in (1, 20):
                line += f"{place.real:>13.6f} {place.imag:+.6f}i"
        print(line)

# %% prints $ polar_factor
def newton_schulz(G, steps=5, a=3.4445, b=-4.7750, c=2.0315):
    X = G / ((np.sqrt(2) if np.iscomplexobj(G) else 1) * np.linalg.norm(G))
    for _ in range(steps):
        S = X @ X.conj().T
        X = a * X + (b * S + c * S @ S) @ X
    return X


D = np.diag([3 * np.exp(0.5j), np.exp(-2j), 0.1 * np.exp(1.5j), 0.01 * np.exp(3j)])
print("steps   the diagonal: modulus, phase")
for steps in (0, 1, 2, 3, 4, 5, 10):
    print(f"{steps:>5}" + "".join(f"   {abs(x):.4f}, {np.angle(x):+.2f}" for x in np.diag(newton_schulz(D, steps))))

U = np.random.default_rng(1).standard_normal((6, 4)) + 1j * np.random.default_rng(2).standard_normal((6, 4))
expand = lambda Z: np.kron(Z.real, np.eye(2)) + np.kron(Z.imag, [[0, -1], [1, 0]])
difference = np.abs(expand(newton_schulz(U)) - newton_schulz(expand(U))).max()
print(f"a random [6, 4] and its expansion [12, 8] differ by at most {difference:.0e}")

# %% after ## L-BFGS: curvature from two gradients
z, w = ag.variable(-1.2 + 0.5j), ag.variable(1 - 1j)
valley = lambda: 100 * ag.abs2(w - z**2) + ag.abs2(1 - z)
report = ag.optim.LBFGS([z, w]).minimise(valley, 75)
print(f"L-BFGS: {report['evaluations']} evaluations, L = {report['loss']:.0e}, z = {z.item():.6f}")

z, w = ag.variable(-1.2 + 0.5j), ag.variable(1 - 1j)
adam = ag.optim.AdamW([z, w], lr=0.02, weight_decay=0)
for step in range(4000):
    adam.zero_grad()
    L = valley()
    L.backward()
    adam.step()
print(f"AdamW: 4000 evaluations, L = {float(L):.0e}")
