# %% start
import argand as ag
import numpy as np

# %% prints $ wrong_way
print(f"{'step along':<14}{'L at 0':>12}{'10':>12}{'20':>12}{'30':>12}")
conventions = {"grad(z)": lambda g: g, "dL/d conj(z)": lambda g: g / 2, "2 dL/dz": lambda g: g.conj()}
for name, convention in conventions.items():
    z, line = ag.variable(1 + 0.5j), f"{name:<14}"
    for step in range(31):
        L = ag.abs2(z**2 + 1)
        z.zero_grad()
        L.backward()
        if step % 10 == 0:
            line += f"{float(L):12.6f}"
        z.data -= 0.02 * convention(z.grad)
    print(f"{line}   z = {z.item().real:.6g}{z.item().imag:+.6g}i")

# %% after $ python3 docs/programs/frameworks.py
for expression in ("|z|^2", "real(exp(z))"):
    print(expression, ag.lab(expression, at=1 + 2j).conventions)

# %% prints $ argand lab "f(z) = z*conj(z)*z" --at 1+2i
print(ag.lab("f(z) = z*conj(z)*z", at=1 + 2j))

# %% after ## Converting
# A gradient in JAX's convention, checked in argand's: the diagnosis names the convention.
at = np.array([1 + 2j, 0.5 - 1j])
print(ag.check(lambda z: np.sum(np.abs(z) ** 2), lambda z: 2 * np.conj(z), at).diagnosis)

# %% after ## Optimisers meet complex parameters
for moments in ("two", "modulus"):
    z = ag.variable(0j)
    adam = ag.optim.AdamW([z], lr=0.1, eps=1e-12, weight_decay=0, complex_moments=moments)
    for step in range(3):
        z.zero_grad()
        (z * (3 - 4j)).real.backward()  # its gradient is 3 + 4i everywhere
        adam.step()
    print(f"{moments:8} {z.item():.4f}")
