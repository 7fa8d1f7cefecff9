"""Figures of the chapter on attention by magnitudes and phases."""
import cmath
import math

from plot import Figure, Panel, circle, curve, figure


@figure
def jump():
    f = Figure(290)
    for k, delta in enumerate((0.1, 0.5, 1)):
        p = Panel(f, 8 + 158 * k, 46, 148, 148, (-1.4, 1.4), (-1.4, 1.4))
        p.title(f"δ = {delta:g}")
        p.cross()
        p.path(circle(), "axis", 1, "3 4", closed=True)
        turned = [cmath.exp(1j * delta * math.pi * (-1 + n / 48)) for n in range(97)]
        p.path(turned, "a", 3)
        if delta != 1:
            p.path([turned[0], turned[-1]], "bad", 2, "4 4")
        for n, of in ((0, "b"), (96, "along")):
            p.dot(turned[n], of, 5 if n else 6)
        f.words(f"jump {2 * abs(math.sin(math.pi * delta)):.2f}", 82 + 158 * k, 214, of="bad" if delta != 1 else "soft")
    f.words("dotted: z on the unit circle; blue: where the rotation takes it;", 240, 246, of="soft", size=13)
    f.words("green: z just above the cut at −1, orange: just below it", 240, 266, of="soft", size=13)
    return f


@figure
def score_of_a_difference():
    f = Figure(330)
    p = Panel(f, 40, 40, 425, 200, (-180, 180), (-1.15, 1.15))
    p.grid((-180, -90, 0, 90, 180), (-1, 0, 1), "difference of the phases of query and key, in degrees", "cos(δ · difference)")
    for k, (delta, of) in enumerate(((0, "soft"), (0.5, "b"), (1, "a"), (2, "against"))):
        p.path(curve(lambda x, d=delta: math.cos(d * math.radians(x)), -180, 180), of, 2.4)
        f.words(f"δ = {delta:g}", 90 + 100 * k, 302, of=of, bold=True)
    f.words("without position and bias, and with both magnitudes 1", 240, 322, of="soft", size=13)
    return f


@figure
def heads():
    """A query and two keys, as one component in each of three heads rotates them."""
    f = Figure(300)
    words = (("q₂", 2, 0.9, 1.1), ("k₀", 0, 0.7, -0.6), ("k₁", 1, 1.0, 0.9))
    for h, (delta, bias, text) in enumerate(((0.0, 0.0, "δ = 0: position alone"), (0.5, 0.0, "δ = ½"), (1.0, -2.0, "δ = 1, b = −2"))):
        p = Panel(f, 8 + 158 * h, 46, 148, 148, (-1.3, 1.3), (-1.3, 1.3))
        p.title(text)
        p.cross()
        p.path(circle(), "axis", 1, "3 4", closed=True)
        for name, t, modulus, phase in words:
            of = "a" if name[0] == "q" else "b"
            w = modulus * cmath.exp(1j * (delta * phase + (bias if of == "a" else 0) + 0.35 * t))
            p.arrow(0, w, of, 2.6)
            p.words(name, w * (1 + 0.2 / abs(w)), 0, 4, of=of)
        turned = {name: modulus * cmath.exp(1j * (delta * phase + (bias if name[0] == "q" else 0) + 0.35 * t)) for name, t, modulus, phase in words}
        scores = [(turned[k].conjugate() * turned["q₂"]).real for k in ("k₀", "k₁")]
        f.words(f"{scores[0]:+.2f} and {scores[1]:+.2f}".replace("-", "−"), 82 + 158 * h, 216, of="text")
    f.words("The same query and the same two keys in three heads, and", 240, 250, of="soft", size=13)
    f.words("its scores with k₀ and k₁: how well the arrows align.", 240, 268, of="soft", size=13)
    f.words("Each position rotates by 0.35.", 240, 286, of="soft", size=13)
    return f


@figure
def gradient_split():
    f = Figure(300)
    z, delta = 1.15 * cmath.exp(0.5j), 0.5
    u = z / abs(z)
    g = 0.75 + 0.85j  # the incoming gradient, rotated back by φ, relative to u
    for k, (title, arrows) in enumerate((("incoming, rotated back by φ", ((g.real, "along"), (1j * g.imag, "b"), (g, "a"))),
                                         ("passed on to z", ((g.real, "along"), (1j * delta * g.imag, "b"), (g.real + 1j * delta * g.imag, "a"))))):
        p = Panel(f, 14 + 232 * k, 44, 215, 190, (-0.35, 2.2), (-0.2, 2.054))
        p.title(title)
        p.cross()
        p.arrow(0, z, "text", 2)
        p.words("z", z / 2, 6, 16)
        for part, of in arrows:
            p.arrow(z, z + part * u, of, 3 if of == "a" else 2.2, tip=10)
        if k:
            p.path([z + u * part for part in (g.real + 1j * g.imag, g.real + 1j * delta * g.imag)], "axis", 1.4, "3 4")
    f.words("green: along z, unchanged; orange: perpendicular, times δ = ½;", 240, 264, of="soft", size=13)
    f.words("blue: both together", 240, 284, of="soft", size=13)
    return f
