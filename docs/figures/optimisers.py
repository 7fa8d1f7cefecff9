"""Figures of the chapter on optimisers."""
import cmath
import math

from calculus import gradient, loss
from plot import Figure, Panel, curve, figure


def adam(start, turn, moments, steps):
    """The path of argand's Adam (optim/adamw.h) with rate 0.05 on a rotated |z² + 1|², rotated back."""
    turned = cmath.exp(1j * turn)
    z, m, v, path = turned * start, 0j, 0j, [start]
    for t in range(1, steps + 1):
        g = turned * gradient(z / turned)
        m += 0.1 * (g - m)
        square = complex(g.real ** 2, g.imag ** 2) if moments == 2 else complex(abs(g) ** 2, abs(g) ** 2)
        v += 0.02 * (square - v)
        mean, root = m / (1 - 0.9 ** t), (math.sqrt(v.real / (1 - 0.98 ** t)), math.sqrt(v.imag / (1 - 0.98 ** t)))
        z -= 0.05 * complex(mean.real / (root[0] + 1e-9), mean.imag / (root[1] + 1e-9))
        path.append(z / turned)
    return path


@figure
def turned_adam():
    f = Figure(345)
    for k, (moments, text) in enumerate(((2, "two second moments"), (1, "one, of |g|²"))):
        p = Panel(f, 14 + 236 * k, 44, 216, 216, (-0.5, 1.2), (-0.2, 1.5))
        p.title(text)
        p.contour(loss, [0.05, 0.25, 0.6, 1, 2, 4, 7], "axis", 1, 60)
        p.frame()
        for degrees, of, dash in ((0, "a", ""), (30, "b", ""), (45, "against", "")) if moments == 2 else ((0, "a", ""), (30, "b", "8 8"), (45, "against", "2 14")):
            path = adam(1 + 0.5j, math.radians(degrees), moments, 40)
            p.path(path, of, 2.6 if moments == 2 else 3.2, dash)
        p.dot(1 + 0.5j, "text", 4.5)
        p.dot(1j, "text", 4.5)
    for x, (text, of) in zip((100, 240, 380), (("not rotated", "a"), ("rotated by 30°", "b"), ("by 45°", "against"))):
        f.words(text, x, 288, of=of, bold=True, size=13)
    f.words("forty steps down |z² + 1|²; paths are rotated back to compare them", 240, 314, of="soft", size=13)
    f.words("On the right all three coincide.", 240, 332, of="soft", size=13)
    return f


MUON, NEWTON = (3.4445, -4.7750, 2.0315), (1.5, -0.5, 0.0)


def polynomial(s, of):
    return of[0] * s + of[1] * s ** 3 + of[2] * s ** 5


@figure
def polynomials():
    f = Figure(390)
    p = Panel(f, 52, 36, 400, 270, (0, 1.3), (0, 1.35))
    p.grid((0, 0.5, 1), (0, 0.5, 1), "singular value before", "after one step")
    p.path([0, 1.3 + 1.3j], "soft", 1.2, "4 4")
    p.path(curve(lambda s: polynomial(s, MUON), 0, 1.3), "a", 2.6)
    p.path(curve(lambda s: polynomial(s, NEWTON), 0, 1.3), "b", 2.6)
    s, web = 0.03, [0.03 + 0j]
    for _ in range(7):  # the cobweb: up to the curve, across to the diagonal
        after = polynomial(s, MUON)
        web += [complex(s, after), complex(after, after)]
        s = after
    p.path(web, "along", 1.3)
    p.dot(0.03 + 0j, "along", 4)
    p.words("Muon's", 0.2 + 0.66j, -12, -8, "end", "a")
    p.words("Newton's", 0.56 + 0.81j, 0, 0, "end", "b")
    f.words("green: 0.03 through seven steps of Muon's. It rises quickly,", 240, 364, of="soft", size=13)
    f.words("then oscillates around 1 without converging.", 240, 382, of="soft", size=13)
    return f


@figure
def singular_values():
    f = Figure(350)
    values = (0.6705, 0.2235, 0.0223, 0.0022)
    for k, (of, text) in enumerate(((MUON, "Muon's coefficients"), (NEWTON, "Newton's"))):
        p = Panel(f, 40 + 226 * k, 44, 200, 216, (0, 16), (-3, 0.2), log="y")
        p.title(text)
        p.grid((0, 5, 10, 15), (-3, -2, -1, 0) if not k else (), "steps")
        p.path([0j, 16 + 0j], "soft", 1)
        for s, name in zip(values, ("a", "b", "along", "against")):
            points = []
            for n in range(17):
                points.append(complex(n, math.log10(s)))
                s = polynomial(s, of)
            p.path(points, name, 1.8)
            for z in points:
                p.dot(z, name, 2.4)
    f.words("the four singular values of docs/programs/polar_factor.cpp", 240, 318, of="soft", size=13)
    f.words("after five steps Muon's are within a third of 1", 240, 338, of="soft", size=13)
    return f
