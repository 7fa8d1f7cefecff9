"""Figures of the chapter on the algebra with an angle."""
import math

from plot import Figure, Panel, curve, figure


def kappa(theta):
    return -1 + math.sin(2 * theta)


@figure
def kappa_of_theta():
    f = Figure(340)
    p = Panel(f, 46, 40, 415, 210, (-0.45, 2.05), (-2.1, 0.25))
    names = {0: "0", math.pi / 4: "π/4", math.pi / 2: "π/2"}
    p.grid(tuple(names), (-2, -1, 0), "θ", "κ = J²", lambda x: names[x])
    p.path(curve(kappa, -0.45, 2.05), "a", 2.8)
    for theta, of in ((0, "b"), (math.pi / 2, "b"), (math.pi / 4, "bad"), (0.5, "along"), (math.pi / 2 - 0.5, "along")):
        p.dot(complex(theta, kappa(theta)), of, 5)
    p.path([complex(0.5, kappa(0.5)), complex(math.pi / 2 - 0.5, kappa(0.5))], "along", 1.2, "4 4")
    p.words("dual numbers: flat", math.pi / 4 + 0j, 0, -12, "middle", "bad")
    p.words("complex", -1j, -10, -8, "end", "b")
    p.words("complex", math.pi / 2 - 1j, 10, -8, "start", "b")
    p.words("a mirror pair", complex(math.pi / 4, kappa(0.5)), 0, 20, "middle", "along")
    f.words("orange: J = i; green: θ = 0.5 and π/2 − 0.5 are one algebra", 240, 308, of="soft", size=13)
    f.words("red: the slope dκ/dθ is 0, and so is every gradient of θ", 240, 328, of="soft", size=13)
    return f


@figure
def circles():
    """The curves N(z) = a² - κ b² = 1, and the path of z when it is multiplied by numbers of norm 1."""
    f = Figure(290)
    for n, (k, text) in enumerate(((-1.0, "κ = −1: complex"), (-0.134, "κ = −0.134, at π/6"), (0.0, "κ = 0: dual"))):
        p = Panel(f, 8 + 158 * n, 46, 148, 160, (-3.1, 3.1), (-3.35, 3.35))
        p.title(text)
        p.cross()
        if k < 0:
            s = math.sqrt(-k)
            ring = [complex(math.cos(t), math.sin(t) / s) for t in (2 * math.pi * j / 72 for j in range(72))]
            unit = complex(math.cos(0.6), math.sin(0.6) / s)
            p.path(ring, "a", 2.4, closed=True)
        else:
            unit = complex(1, 0.6)
            for side in (1, -1):
                p.path([complex(side, -3.35), complex(side, 3.35)], "a", 2.4)
        z = 1 + 0j
        for j in range(6):
            p.dot(z, "b", 4.5 if j else 3)
            z = complex(z.real * unit.real + k * z.imag * unit.imag, z.real * unit.imag + z.imag * unit.real)
    f.words("blue: the numbers of norm 1, across a and up b; orange: 1, u, u², …", 240, 236, of="soft", size=13)
    f.words("For negative κ the curve is a circle in other units.", 240, 256, of="soft", size=13)
    f.words("At 0 it splits into two lines: products shear, not rotate.", 240, 274, of="soft", size=13)
    return f


@figure
def hilltop_or_valley():
    f = Figure(320)
    for k, (gamma, text, of) in enumerate(((1, "γ > 0: a hilltop", "a"), (-1, "γ < 0: a valley", "b"))):
        p = Panel(f, 24 + 232 * k, 44, 200, 160, (-0.5, 0.5), (-0.4, 0.4))
        p.title(text)
        p.grid((0,), (), "θ", "L", lambda x: "π/4")
        # The loss L = γ κ(θ), in which κ stands for everything that depends on θ.
        p.path(curve(lambda e, g=gamma: g * kappa(math.pi / 4 + e) + 0.3 * g, -0.48, 0.48), of, 2.6)
        for start in (0.04, -0.04, 0.3, -0.3):
            e, path = start, []
            for _ in range(7):
                path.append(complex(e, gamma * (kappa(math.pi / 4 + e) + 0.3)))
                e -= 0.06 * gamma * 2 * math.cos(2 * (math.pi / 4 + e))
            for z in path:
                p.dot(z, "along", 2.6)
            p.dot(path[0], "text", 3.4)
        p.dot(complex(0, gamma * 0.3), "bad", 5)
    f.words("green: descent from black dots. At π/4 itself (red) nothing moves", 240, 256, of="soft", size=13)
    f.words("in either case: the gradient of θ is 0 there whatever γ = ∂L/∂κ is,", 240, 276, of="soft", size=13)
    f.words("and only rounding decides on which side it leaves the hill.", 240, 296, of="soft", size=13)
    return f
