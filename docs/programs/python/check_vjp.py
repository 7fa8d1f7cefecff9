"""Vector-Jacobian products: functions with several outputs."""
import argand
import numpy as np

z = np.array([1 + 2j, 0.5j, -1.5])


def square(z):
    return z * z


for convention, vjp in [("torch", lambda z, w: 2 * z.conj() * w), ("jax", lambda z, w: 2 * z * w)]:
    print(convention, argand.check(square, vjp, z, vjp=True, convention=convention).verdict)
print(argand.check(square, lambda z, w: 2 * z * w, z, vjp=True).headline)
