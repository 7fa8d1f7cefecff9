"""A gradient that is correct at x and wrong elsewhere."""
import os
import tempfile

import argand
import numpy as np


def softplus(x):
    return np.sum(np.logaddexp(0, x))


def sigmoid(x):
    with np.errstate(all="ignore"):
        return np.exp(x) / (1 + np.exp(x))


x = np.array([0.5, -1.25])
print(argand.check(softplus, sigmoid, x).verdict)
result = argand.check(softplus, sigmoid, x, points=100)
print(result.headline)
print(result.notes[-1])

path = os.path.join(tempfile.mkdtemp(), "softplus.json")
argand.save_replay(path, result)
print(argand.replay(path, softplus, sigmoid).notes[-1])
