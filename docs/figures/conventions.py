"""Figures of the chapter on conventions."""
import cmath
import math

from calculus import descent, gradient, loss
from plot import Figure, Panel, circle, colour, curve, figure


@figure
def two_walks():
    f = Figure(520)
    p = Panel(f, 40, 20, 430, 430, (-0.9, 1.5), (-1.1, 1.3))
    p.contour(loss, [0.05, 0.25, 0.6, 1, 2, 4, 7])
    p.grid((0, 1), (-1, 0, 1), "Re z", "", None, lambda y: {-1: "−i", 0: "0", 1: "i"}[y])
    start = 1 + 0.5j
    for way, of, dash in ((gradient, "along", ""), (lambda z: gradient(z).conjugate(), "against", "6 4")):
        path = descent(start, 0.02, 60, way)
        p.path(path, of, 2.4, dash)
        for z in path[1:]:
            p.dot(z, of, 2.2)
    p.dot(start, "text", 4.5)
    p.words("start: 1 + ½i", start, 16, -12, "middle")
    p.words("along −g: to the zero i", 1j, 16, -12, "start", "along")
    p.words("along −ḡ: to the saddle 0", 0, -4, 24, "middle", "against")
    f.words("steps of 0.02, sixty of each", 255, 508, of="soft", size=13)
    return f


@figure
def vector_and_covector():
    f = Figure(290)
    p = Panel(f, 90, 16, 300, 236, (-1.1, 3.4), (-1.77, 1.77))
    p.cross()
    z, g = 0.6 + 0.0j, 1.5 * cmath.exp(0.7j)
    for n in range(-3, 4):  # lines of equal L, perpendicular to g
        foot = z + 0.35 * n * g
        p.path([foot + t * 0.2j * g for t in range(-14, 15)], "grid" if n else "soft", 1.2)
    p.arrow(z, z + g, "along", 2.8)
    p.arrow(z, z + g.conjugate(), "against", 2.8)
    p.dot(z, "text", 4)
    p.words("g: L grows fastest", z + g, 8, 4, "start", "along")
    p.words("ḡ: the covector as a step", z + g.conjugate(), -12, 22, "middle", "against")
    p.words("z", z, -12, 16)
    f.words("the lines: L is constant along them, to first order", 240, 278, of="soft", size=13)
    return f


@figure
def where_conjugates_descend():
    f = Figure(330)
    left = Panel(f, 14, 44, 215, 215, (-1.6, 1.6), (-1.6, 1.6))
    right = Panel(f, 272, 44, 188, 215, (-180, 180), (-1.2, 1.2))
    left.title("−ḡ leads down L = |z² + 1|²")
    count, d = 64, ""
    for j in range(count):  # rows of small squares where Re g² > 0
        row = [complex(-1.6 + 3.2 * (i + 0.5) / count, -1.6 + 3.2 * (j + 0.5) / count) for i in range(count)]
        down = [(gradient(z) ** 2).real > 0 for z in row] + [False]
        for i in range(count):
            if down[i] and not (i and down[i - 1]):
                (x, y), (end, _) = left.at(row[i]), left.at(row[down.index(False, i) - 1])
                d += f"M{x - 1.68:.1f} {y:.1f}H{end + 1.68:.1f}"
    f.add(f'<path d="{d}" style="stroke:{colour("along")};stroke-width:3.4;opacity:.45;stroke-linecap:butt"/>')
    left.cross()
    left.contour(loss, [0.25, 1, 4], "soft", 1, 64)
    for zero in (1j, -1j):
        left.dot(zero, "a", 4)
    right.title("dL / (η|g|²)")
    right.grid((-180, -90, 0, 90, 180), (-1, 0, 1), "arg g in degrees")
    right.path(curve(lambda _: -1, -180, 180, 4), "along", 2, "")
    right.path(curve(lambda x: -math.cos(2 * math.radians(x)), -180, 180), "against", 2.4)
    f.words("green: down; white: up", 121, 282, of="soft", size=13)
    f.words("green: a step along −g; violet: along −ḡ", 240, 318, of="soft", size=13)
    return f


@figure
def three_squares():
    f = Figure(255)
    sign = lambda x: (x > 0) - (x < 0)
    steps = (("(Re g)² and (Im g)²", lambda g: -complex(sign(round(g.real, 9)), sign(round(g.imag, 9))), "a"), ("|g|²", lambda g: -g / abs(g), "along"),
             ("g²", lambda g: -complex(sign(round(g.real, 9)), 0), "bad"))
    for k, (text, step, of) in enumerate(steps):
        p = Panel(f, 8 + 158 * k, 44, 148, 148, (-1.7, 1.7), (-1.7, 1.7))
        p.title(text)
        p.cross()
        for n in range(24):
            g = cmath.exp(2j * math.pi * (n + 0.5) / 24)
            p.arrow(0, step(g), of, 1.6, tip=9)
            p.dot(-g, "soft", 1.6)
        p.path(circle(), "axis", 0.8, closed=True)
    f.words("arrows: Adam's first step for 24 gradients on a circle,", 240, 220, of="soft", size=13)
    f.words("in units of the learning rate; dots: −g, where it should lead", 240, 240, of="soft", size=13)
    return f
