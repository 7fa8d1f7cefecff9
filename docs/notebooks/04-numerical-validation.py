# %% start
import argand as ag
import numpy as np

# %% after $ step_size
f = lambda x: 1 / (1 + x * x)
x, truth = 0.5, -0.64
print(f"{'h':>5}  {'one-sided':>9}  {'central':>9}  {'complex step':>12}")
for k in range(1, 16):
    h = 10.0**-k
    errors = ((f(x + h) - f(x)) / h, (f(x + h) - f(x - h)) / (2 * h), f(x + 1j * h).imag / h)
    print(f"1e-{k:02}  " + "  ".join(f"{abs(e - truth):{w}.0e}" for e, w in zip(errors, (9, 9, 12))))

# %% after $ extrapolation
c, h = 1.8, 0.1
older: list = []
for level in range(9):
    row = [(f(x + h) - f(x - h)) / (2 * h)]
    for j in range(1, min(len(older) + 1, 6)):
        row.append(row[j - 1] + (row[j - 1] - older[j - 1]) / (c ** (2 * j) - 1))
    print(f"{h:8.5f}" + "".join(f"  {abs(value - truth):5.0e}" for value in row))
    older, h = row, h / c

# %% after ## A verdict, or none
# argand's gradient check for functions of NumPy arrays.
print(ag.check(f, lambda x: -2 * x / (1 + x * x) ** 2, 0.5))
print(ag.check(lambda x: x + 1e12, lambda x: 1.0, 0.3).headline)

# %% after ## Projections
# With several outputs, vjp=True is needed, and the gradient takes their weights as an argument.
z = np.array([1 + 2j, -0.5j])
print(ag.check(lambda z: z**2, lambda z, g: np.conj(2 * z) * g, z, vjp=True).verdict)

# %% after ## Forward mode
loss = lambda z: ag.abs2(z**2 + 1).sum()
direction = [1j, 1.0]
print("forward", ag.jvp(loss, z, direction).item(), " backward", np.real(np.vdot(ag.grad(loss)(z).numpy(), direction)))
print("H v", ag.hvp(loss, z, direction).numpy())

# %% after ## When the check lies
print("|x| at 0:", ag.check(np.abs, np.sign, 0.0).headline)
print("|x| at 3e-7:", ag.check(np.abs, np.sign, 3e-7).headline)
print("through float32:", ag.check(lambda x: float(np.float32(x)), lambda x: 1.0, 0.7).headline)
real_loss = lambda z: abs(np.exp(z) + 1) ** 2
conjugated = lambda z: 2 * np.exp(z) * np.conj(np.exp(z) + 1)  # the first factor should be conjugated, not the second
print("a wrong gradient at a real number:", ag.check(real_loss, conjugated, 0.5 + 0j).headline)
print("the same beside the axis:", ag.check(real_loss, conjugated, 0.5 + 0.3j).headline)
