"""A function and its gradient for `argand gradcheck --external`, using only the standard library: L = |z1|^2 |z2|^2 + x |z1|^2.

  argand gradcheck --external "python3 docs/programs/external_energy.py [wrong]"
"""
import json
import sys

wrong = "wrong" in sys.argv


def value(z, x):
    p, q = abs(z[0]) ** 2, abs(z[1]) ** 2
    return p * q + x * p


def gradient(z, x):
    """dL/dRe z + i dL/dIm z = 2 dL/dconj(z), and dL/dx."""
    p, q = abs(z[0]) ** 2, abs(z[1]) ** 2
    dz = [2 * z[0] * (q + x), 2 * z[1] * p]
    return [w.conjugate() for w in dz] if wrong else dz, p


def pairs(numbers):
    return [part for z in numbers for part in (z.real, z.imag)]


for line in sys.stdin:
    question = json.loads(line)
    if question["ask"] == "function":
        z = {"name": "z", "complex": True, "values": pairs([1 + 2j, 0.5 - 1j])}
        answer = {"name": "energy", "inputs": [z, {"name": "x", "values": [0.75]}]}
    else:
        numbers, (x,) = question["inputs"]
        z = [complex(*numbers[k : k + 2]) for k in range(0, len(numbers), 2)]
        if question["ask"] == "value":
            answer = {"value": value(z, x)}
        else:
            dz, dx = gradient(z, x)
            answer = {"gradient": [pairs(dz), [dx]]}
    print(json.dumps(answer), flush=True)
