"""The limits of a check: at a kink there is no derivative to compare with, and noise can hide the answer."""
import argand
import numpy as np

x = np.array([1.0, 0.0, -2.0])
relu = lambda x: np.sum(np.maximum(x, 0))
print(argand.check(relu, lambda x: 1.0 * (x > 0), x))
print(argand.check(relu, lambda x: 1.0 * (x > 0) + 7.0 * (x == 0), x).headline)

noisy = lambda x: float(np.sum(np.exp(x.astype(np.float32))))
print(argand.check(noisy, np.exp, x).headline)
print(argand.check(noisy, lambda x: 2 * np.exp(x), x).headline)
