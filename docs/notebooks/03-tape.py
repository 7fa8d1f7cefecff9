# %% start
import cmath

import argand as ag

# %% after void backward(Number loss) {
# The same tape in Python.
tape = []


class Number:
    def __init__(self, value):
        self.value, self.grad = value, 0


def record(value, backward):
    """Called at the end of every op: stores the value now, and a closure for the gradient later."""
    w = Number(value)
    tape.append(lambda: backward(w.grad))
    return w


def pay(number, grad):
    number.grad += grad


def add(a, b):
    return record(a.value + b.value, lambda dw: (pay(a, dw), pay(b, dw)))


def mul(a, b):
    return record(a.value * b.value, lambda dw: (pay(a, b.value.conjugate() * dw), pay(b, a.value.conjugate() * dw)))


def exp(z):
    w = cmath.exp(z.value)
    return record(w, lambda dw: pay(z, w.conjugate() * dw))


def conj(z):
    return record(z.value.conjugate(), lambda dw: pay(z, complex(dw).conjugate()))


def abs2(z):
    return record(abs(z.value) ** 2, lambda dw: pay(z, 2 * z.value * complex(dw).real))


def backward(loss):
    loss.grad = 1
    while tape:
        tape.pop()()

# %% prints $ mini_tape
f = lambda z: abs2(add(mul(z, exp(z)), conj(z)))
at, h = 0.5 + 1.5j, 1e-5
number = Number(at)
loss = f(number)
print(f"L = {loss.value:.6f}, {len(tape)} entries on the tape")
backward(loss)
print(f"by the tape         {number.grad.real:.6f} {number.grad.imag:+.6f}i")
quotient = lambda step: (f(Number(at + step)).value - f(Number(at - step)).value) / (2 * h)
print(f"by differences      {quotient(h):.6f} {quotient(h * 1j):+.6f}i")

# %% after ## One op, whole
import numpy as np


# A custom op made of NumPy functions; it is checked when its gradient is attached.
@ag.op
def swap(z):
    return 1j * np.conj(z)


@swap.vjp
def _(g, z):
    return 1j * np.conj(g)

# %% after ## Watching a tape
z = ag.variable(0.5 + 1.5j)
L = ag.abs2(z * ag.exp(z) + z.conj())
L.backward()
L.tape()
