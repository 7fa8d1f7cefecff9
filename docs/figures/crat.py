"""Figures of the chapter on states on the circle."""
import cmath
import math

from plot import Figure, Panel, circle, curve, figure


@figure
def gradient_of_a_phase():
    f = Figure(350)
    p = Panel(f, 90, 24, 300, 260, (-1.2, 1.7), (-1.05, 1.463))
    p.cross()
    p.path([0, 1.7 * cmath.exp(1j)], "axis", 1.4, "4 4")
    p.words("the key's phase, 1", 0.85 + 1.32j, 12, 0, "start", "soft")
    for radius in (0.35, 0.6, 0.95):
        p.path(circle(0, radius), "grid", 1, closed=True)
        for n in range(12):
            z = radius * cmath.exp(2j * math.pi * n / 12)
            grad = -math.sin(cmath.phase(z) - 1) * 1j * z / abs(z) ** 2
            p.arrow(z, z + 0.11 * grad, "b", 1.9)
            p.dot(z, "text", 2)
    p.dot(0, "bad", 4.5)
    f.words("arrows: the gradient of cos(arg q − 1), a ninth of its length", 240, 316, of="soft", size=13)
    f.words("perpendicular to q, and longer the nearer q is to 0", 240, 336, of="soft", size=13)
    return f


@figure
def growing_rows():
    """Steps along a gradient perpendicular to the number: the modulus can only grow, and each step rotates the number less."""
    f = Figure(340)
    p = Panel(f, 90, 16, 300, 264, (-2.5, 2.5), (-2.2, 2.2))
    p.cross()
    z, path = 1 + 0j, [1 + 0j]
    for _ in range(24):
        z = z + 0.35 * 1j * z / abs(z) ** 2
        path.append(z)
    p.path(circle(), "axis", 1, "3 4", closed=True)
    p.path(path, "a", 2)
    for k, z in enumerate(path):
        p.dot(z, "a", 3)
        if k in (0, 8, 24):
            p.path([0, z], "b", 1.4)
            p.words(f"|q| = {abs(z):.2f}", z * 1.12, 0, 4, "start" if z.real > 0 else "end", "b")
    f.words("twenty-four steps of the same learning rate along ±iq/|q|²", 240, 306, of="soft", size=13)
    f.words("dotted: where |q| = 1", 240, 326, of="soft", size=13)
    return f


@figure
def heavy_tail():
    f = Figure(330)
    p = Panel(f, 52, 36, 400, 222, (0, 3), (-6, 0.2), log="xy")
    p.grid((0, 1, 2, 3), (-6, -4, -2, 0), "x, relative to a typical gradient", "share of components whose gradient exceeds x")
    # P(1/r > x) = P(r < 1/x) = 1 - exp(-1/x²) for a complex normal number, compared with a half-normal distribution.
    p.path(curve(lambda e: math.log10(-math.expm1(-(10 ** (-2 * e)))), 0, 3, 120), "b", 2.6)
    p.path([z for z in curve(lambda e: math.log10(max(math.erfc(10 ** e / math.sqrt(2)), 1e-30)), 0, 1.2, 240) if z.imag > -6.2], "soft", 2.2, "5 4")
    p.words("1/|q|: falls as 1/x²", 1.55 - 2.4j, 0, 0, "start", "b")
    p.words("normal", 0.74 - 4.4j, 0, 0, "start", "soft")
    f.words("one component in a million gets a gradient 1000 times larger", 240, 316, of="soft", size=13)
    return f


@figure
def sharpest_softmax():
    f = Figure(330)
    p = Panel(f, 46, 36, 410, 222, (1, 64), (0, 105))
    p.grid((1, 8, 16, 32, 48, 64), (0, 50, 100), "components of a head", "largest share of one of 128 words, %")
    for sign, of, text, x in ((0.5, "a", "sum", 20), (-0.5, "b", "mean", 30)):
        share = lambda d, s=sign: 100 * math.exp(2 * d ** s) / (math.exp(2 * d ** s) + 127)
        p.path(curve(share, 1, 64), of, 2.6)
        p.words(text, complex(x, share(x)), 0, 22 if sign > 0 else -10, "middle", of)
    p.path([1 + 100j / 128, 64 + 100j / 128], "soft", 1.2, "4 4")
    f.words("dashed: 1/128, every word the same", 240, 316, of="soft", size=13)
    return f
