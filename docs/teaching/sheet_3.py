"""Answers to problems 1 and 3 of sheet 3, in plain Python."""
from cmath import tanh

v, w, L, gv, gw = 0.8 + 0.3j, 0.6 - 0.5j, 0, 0, 0
for x, y in ((0.5 - 0.2j, 1 + 0.3j), (-0.4 + 0.7j, 0.2 - 0.9j), (0.1 + 0.8j, -0.6 + 0.5j)):
    h = tanh(w * x)
    r = v * h - y
    L += abs(r) ** 2
    gv += 2 * h.conjugate() * r
    gw += 2 * (v * (1 - h * h) * x).conjugate() * r
print(f"problem 1: L = {L:.4f}, g_v = {gv:.4f}, g_w = {gw:.4f}")

for name, direction in (("g", lambda g: g), ("dL/dconj(z)", lambda g: g / 2), ("conj(g)", lambda g: g.conjugate())):
    z = -0.3 + 0.6j
    for step in range(10):
        z -= 0.02 * direction(6 * z.conjugate() ** 2 * (z**3 - 1))
    print(f"problem 3, along {name:12} z = {z:.4f}, L = {abs(z**3 - 1)**2:.4f}")
