"""Figures of the chapter on Wirtinger's calculus."""
import cmath
import math

from plot import Figure, Panel, circle, figure


def descent(z, rate, steps, way):
    path = [z]
    for _ in range(steps):
        path.append(path[-1] - rate * way(path[-1]))
    return path


def loss(z):
    return abs(z * z + 1) ** 2


def gradient(z):
    return 4 * z.conjugate() * (z * z + 1)


@figure
def ellipses():
    f = Figure(544)
    for k, (a, b, text) in enumerate(((1, 0, "a = 1, b = 0"), (0, 1, "a = 0, b = 1"), (0.5, 0.5, "a = b = ½"), (1, 0.5, "a = 1, b = ½"))):
        p = Panel(f, 20 + 235 * (k % 2), 40 + 250 * (k // 2), 205, 205, (-1.7, 1.7), (-1.7, 1.7))
        p.title(text)
        p.cross()
        p.path(circle(), "soft", 1.2, "3 4", closed=True)
        p.path([a * z + b * z.conjugate() for z in circle()], "a", 2.4, closed=True)
        for n in range(8):  # eight points of the circle and their images
            z = cmath.exp(2j * math.pi * n / 8)
            w = a * z + b * z.conjugate()
            p.dot(z, "soft", 2.2)
            p.dot(w, "b" if n == 1 else "a", 5 if n == 1 else 3)
        p.dot(cmath.exp(0.25j * math.pi), "b", 4)
    f.words("dashed: the steps dz; blue: a dz + b dz̄;", 240, 512, of="soft", size=13)
    f.words("orange: one of the steps, and its image", 240, 530, of="soft", size=13)
    return f


@figure
def two_arrows():
    f = Figure(270)
    a, b = 1.0, 0.5
    for k, (turn, text) in enumerate(((0.0, "parallel: |a| + |b|"), (math.pi / 4, "an eighth of a turn"), (math.pi / 2, "opposed: |a| − |b|"))):
        p = Panel(f, 8 + 158 * k, 46, 148, 148, (-1.7, 1.7), (-1.7, 1.7))
        p.title(text)
        p.cross()
        p.path([a * z + b * z.conjugate() for z in circle()], "axis", 1.4, closed=True)
        first, second = a * cmath.exp(1j * turn), b * cmath.exp(-1j * turn)
        p.arrow(0, first, "a", 2.6)
        p.arrow(first, first + second, "b", 2.6)
        p.dot(first + second, "text", 4)
    f.words("blue: a eⁱᵗ, which turns with the step", 240, 228, of="a")
    f.words("orange: b e⁻ⁱᵗ, which turns against it", 240, 250, of="b")
    return f


@figure
def two_layers_back():
    """Gradients g_v on a circle, propagated back through v = w + w̄/2 and w = z² at z = 1 + i/2."""
    f = Figure(270)
    layers = ((2 + 1j, 0), (1, 0.5))
    curves, arrows = [circle()], [1 + 0j]
    for a, b in reversed(layers):
        back = lambda g, a=complex(a), b=complex(b): a.conjugate() * g + b * g.conjugate()
        curves.insert(0, [back(g) for g in curves[0]])
        arrows.insert(0, back(arrows[0]))
    for k, (text, half) in enumerate((("g_z = ā g_w, a = 2z", 4), ("g_w = g_v + ½ ḡ_v", 2), ("g_v", 2))):
        p = Panel(f, 8 + 158 * k, 46, 148, 148, (-half, half), (-half, half))
        p.title(text)
        p.cross()
        p.path(curves[k], "text", 1.6, closed=True)
        p.arrow(0, arrows[k], "along", 2.6)
    f.words("← back through w = z² ← back through v = w + ½ w̄ ←", 240, 226, of="soft")
    f.words("green: g_v = 1, and the gradients it gives", 240, 250, of="along")
    return f


@figure
def descents():
    f = Figure(520)
    p = Panel(f, 40, 20, 430, 430, (-1.8, 1.8), (-1.8, 1.8))
    p.contour(loss, [0.05, 0.25, 0.6, 1, 2, 4, 7])
    p.contour(loss, [1.0], "soft", 1.6)
    p.grid((-1, 0, 1), (-1, 0, 1), "Re z", "", None, lambda y: {-1: "−i", 0: "0", 1: "i"}[y])
    for start in (1 + 0.5j, -1.5 - 0.3j, 0.5 - 1.5j, 1.4 - 0.9j, -0.9 + 1.4j, 1.5 + 0j):
        path = descent(start, 0.03, 80, gradient)
        p.path(path, "along", 2)
        for z in path[1:10]:
            p.dot(z, "along", 2)
        p.dot(start, "text", 3.6)
    for zero in (1j, -1j):
        p.dot(zero, "a", 5)
    p.dot(0, "b", 5)
    p.words("i, a zero", 1j, 10, -9, "start", "a")
    p.words("−i, a zero", -1j, -10, 12, "end", "a")
    p.words("0, the saddle", 0, 10, -8, "start", "b")
    f.words("the contour through the saddle is the heavy one", 255, 508, of="soft", size=13)
    return f


@figure
def cone_and_spiral():
    f = Figure(310)
    left = Panel(f, 14, 44, 215, 215, (-1.2, 1.2), (-1.2, 1.2))
    right = Panel(f, 251, 44, 215, 215, (-1.2, 1.2), (-1.2, 1.2))
    for p, text in ((left, "|z|: gradient z/|z|"), (right, "arg z: gradient iz/|z|²")):
        p.frame()
        p.title(text)
    for radius in (0.25, 0.5, 0.75, 1.0):
        left.path(circle(0, radius), "axis", 1, closed=True)
    for n in range(16):
        right.path([0, 1.19 * cmath.exp(2j * math.pi * n / 16)], "axis", 1)
    right.path([0, -1.2], "bad", 2.6)
    for radius, count in ((0.25, 8), (0.6, 12), (1.0, 16)):
        for n in range(count):
            z = radius * cmath.exp(2j * math.pi * (n + 0.5) / count)
            left.arrow(z - 0.09 * z / abs(z), z + 0.09 * z / abs(z), "a", 1.8, tip=7)
            g = 1j * z / abs(z) ** 2
            right.arrow(z - 0.055 * g, z + 0.055 * g, "b", 1.8, tip=7)
    left.dot(0, "bad", 4.5)
    right.dot(0, "bad", 4.5)
    f.words("length 1, every direction", 121, 282, of="soft", size=13)
    f.words("a length of 1/|z|; the cut in red", 358, 282, of="soft", size=13)
    f.words("at 0 argand returns 0 for both", 240, 302, of="soft", size=13)
    return f


@figure
def three_kinds():
    f = Figure(285)
    maps = (("z²: holomorphic", lambda z: z * z), ("|z|²: real-valued", lambda z: abs(z) ** 2 + 0j), ("|z| z̄: general", lambda z: abs(z) * z.conjugate()))
    for k, (text, h) in enumerate(maps):
        p = Panel(f, 8 + 158 * k, 46, 148, 200, (-0.35, 2.15), (-1.35, 2.03))
        p.title(text)
        p.cross()
        values = [0.55 + 0.15 * n for n in range(6)]
        for v in values:  # a grid of squares, 0.55 <= x <= 1.3, 0 <= y <= 0.75
            p.path([h(complex(v, y - 0.55)) for y in values], "a", 1.6)
            p.path([h(complex(x, v - 0.55)) for x in values], "b", 1.6)
    f.words("blue: lines of constant x, orange: of constant y", 240, 272, of="soft", size=13)
    return f
