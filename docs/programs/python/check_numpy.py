"""A loss with a hand-written gradient, once correct and once wrong."""
import argand
import numpy as np

rng = np.random.default_rng(1)
A = rng.normal(size=(4, 3)) + 1j * rng.normal(size=(4, 3))
b = rng.normal(size=4) + 1j * rng.normal(size=4)
point = {"z": np.array([1 + 2j, 0.5j, -1 + 0j]), "scale": 0.5}


def loss(p):
    """Least squares with a phase: the sum of |scale A z - b|^2."""
    return np.sum(np.abs(p["scale"] * A @ p["z"] - b) ** 2)


def gradient(p):
    r = p["scale"] * A @ p["z"] - b
    return {"z": 2 * p["scale"] * A.conj().T @ r, "scale": 2 * np.vdot(A @ p["z"], r).real}


def without_conjugate(p):
    return {**gradient(p), "z": 2 * p["scale"] * A.T @ (p["scale"] * A @ p["z"] - b)}


print(argand.check(loss, gradient, point))
print(argand.check(loss, without_conjugate, point))
