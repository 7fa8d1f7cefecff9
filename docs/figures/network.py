"""Figures of the chapter on a complex network."""
import cmath
import math
import random

from plot import Figure, Panel, circle, curve, figure


def tube(s):
    """The tube's response to a signal (Saleh, IEEE Trans. Commun. 29(11), 1981, table I)."""
    r2 = abs(s) ** 2
    return 2.1587 / (1 + 1.1517 * r2) * s * cmath.exp(4.0033j * r2 / (1 + 9.1040 * r2))


class ModReluNetwork:
    """The network of docs/programs/network_by_hand.cpp: y = V modReLU(W x, c), 1 -> 8 -> 1."""

    def __init__(self):
        self.w = [cmath.exp(2.4j * k) for k in range(8)]
        self.v = [0.3 * cmath.exp(-2.4j * k) for k in range(8)]
        self.c = [-k / 8 for k in range(8)]

    def __call__(self, x):
        y = 0j
        for w, v, c in zip(self.w, self.v, self.c):
            h = w * x
            if abs(h) + c > 0:
                y += v * (abs(h) + c) / abs(h) * h
        return y

    def step(self, samples, rate):
        dw, dv, dc = [0j] * 8, [0j] * 8, [0.0] * 8
        for x, t in samples:
            g = 2 * (self(x) - t) / len(samples)
            for k in range(8):
                h, c = self.w[k] * x, self.c[k]
                r = abs(h)
                if r + c <= 0 or r == 0:
                    continue
                u, dz = h / r, self.v[k].conjugate() * g
                dv[k] += g * ((r + c) * u).conjugate()
                dc[k] += (u.conjugate() * dz).real
                dw[k] += ((1 + c / (2 * r)) * dz - c / (2 * r) * u * u * dz.conjugate()) * x.conjugate()
        for k in range(8):
            self.w[k] -= rate * dw[k]
            self.v[k] -= rate * dv[k]
            self.c[k] -= rate * dc[k]


class RealNetwork:
    """y = V relu(A (Re x, Im x) + c) + d, 2 -> 10 -> 2; the two outputs are the parts of y. Trained by Adam with rate 0.02."""

    def __init__(self):
        self.p = []
        for k in range(10):
            a, v = 1.2 * cmath.exp(2.4j * k), 0.4 * cmath.exp(0.9j * k)
            self.p += [a.real, a.imag, 0.3 * math.sin(5.0 * k), v.real, v.imag]
        self.p += [0.0, 0.0]
        self.m, self.s, self.t = [0.0] * 52, [0.0] * 52, 0

    def __call__(self, x):
        y = complex(self.p[50], self.p[51])
        for k in range(0, 50, 5):
            a, b, c, v, w = self.p[k : k + 5]
            h = a * x.real + b * x.imag + c
            if h > 0:
                y += complex(v, w) * h
        return y

    def step(self, samples, rate):
        d = [0.0] * 52
        for x, t in samples:
            g = 2 * (self(x) - t) / len(samples)
            d[50] += g.real
            d[51] += g.imag
            for k in range(0, 50, 5):
                a, b, c, v, w = self.p[k : k + 5]
                h = a * x.real + b * x.imag + c
                if h > 0:
                    dh = v * g.real + w * g.imag
                    d[k] += dh * x.real
                    d[k + 1] += dh * x.imag
                    d[k + 2] += dh
                    d[k + 3] += g.real * h
                    d[k + 4] += g.imag * h
        self.t += 1
        for k in range(52):
            self.m[k] += 0.1 * (d[k] - self.m[k])
            self.s[k] += 0.02 * (d[k] ** 2 - self.s[k])
            self.p[k] -= rate * self.m[k] / (1 - 0.9 ** self.t) / (math.sqrt(self.s[k] / (1 - 0.98 ** self.t)) + 1e-9)


def trained(network, rate, steps):
    """Trains the network on 40 signals with moduli from 0 to 1 and phases from 0° to 90°."""
    signals = [(n + 0.5) / 40 * cmath.exp(1j * math.fmod(2.4 * n, math.pi / 2)) for n in range(40)]
    samples = [(s, tube(s)) for s in signals]
    for _ in range(steps):
        network.step(samples, rate)
    return network


@figure
def a_polygon():
    f = Figure(330)
    p = Panel(f, 40, 30, 425, 220, (-0.06, 1.08), (-0.09, 0.5))
    p.grid((0, 0.5, 1), (0, 0.25), "Re y", "Im y")
    radii = [k / 400 for k in range(1, 401)]
    before, after = ModReluNetwork(), trained(ModReluNetwork(), 0.1, 1500)
    p.path([before(r + 0j) for r in radii if before(r + 0j).real < 1.05], "soft", 1.6, "4 4")
    p.path([tube(r + 0j) for r in radii], "a", 5, opacity=0.45)
    p.path([after(r + 0j) for r in radii], "b", 2)
    for w, c in zip(after.w, after.c):
        if 0 <= -c / abs(w) < 1:
            p.dot(after(-c / abs(w) + 1e-9 + 0j), "b", 3.6)
    f.words("blue: the tube's answer to a signal that grows from 0 to 1", 240, 300, of="soft", size=13)
    f.words("orange: the network's; at each dot a neuron turns on. Dashed: untrained", 240, 318, of="soft", size=13)
    return f


@figure
def a_quarter_seen():
    f = Figure(335)
    for k, (network, rate, steps, text) in enumerate(((RealNetwork(), 0.02, 500, "a real network"), (ModReluNetwork(), 0.1, 1000, "modReLU, no biases"))):
        p = Panel(f, 14 + 236 * k, 40, 216, 216, (-1.35, 1.35), (-1.35, 1.35))
        p.title(text)
        p.cross()
        trained(network, rate, steps)
        p.path([tube(z) for z in circle(0, 0.6)], "a", 5, closed=True, opacity=0.35)
        answers = [network(0.6 * cmath.exp(2j * math.pi * n / 144)) for n in range(145)]
        p.path(answers, "b", 2)
        p.path(answers[:37], "along", 3.4)
    f.words("pale blue: the tube's answers on the circle |s| = 0.6", 240, 288, of="soft", size=13)
    f.words("green: the networks' answers for the quarter they have seen,", 240, 306, of="soft", size=13)
    f.words("orange: for the rest", 240, 324, of="soft", size=13)
    return f


@figure
def stretches():
    f = Figure(300)
    c = -0.5

    def modrelu(z):
        return max(abs(z) + c, 0) / abs(z) * z

    for k, text in enumerate(("small circles", "their images under modReLU")):
        p = Panel(f, 14 + 236 * k, 36, 216, 216, (-1.75, 1.75), (-1.75, 1.75))
        p.title(text)
        p.cross()
        if not k:
            p.path(circle(0, -c), "bad", 1.6, "4 4", closed=True)
        for radius, count in ((0.75, 5), (1.15, 8), (1.55, 8)):
            for n in range(count):
                centre = radius * cmath.exp(2j * math.pi * (n + 0.5 * (radius > 1.4)) / count)
                ring = [z if k == 0 else modrelu(z) for z in circle(centre, 0.13, 36)]
                p.path(ring, "a" if radius < 1 else "along" if radius < 1.4 else "b", 1.8, closed=True)
    f.words("c = −½: everything within the dashed circle becomes 0.", 240, 276, of="soft", size=13)
    f.words("Radial steps keep their length; tangential ones shrink to 1 − ½/r.", 240, 293, of="soft", size=13)
    return f


@figure
def rayleigh():
    f = Figure(318)
    left = Panel(f, 14, 40, 216, 216, (-2.2, 2.2), (-2.2, 2.2))
    left.title("250 complex normal numbers")
    left.cross()
    draw = random.Random(6).random
    for _ in range(250):  # a Rayleigh-distributed modulus, by inverting its distribution function, and a uniform phase
        left.dot(math.sqrt(-math.log(1 - draw())) * cmath.exp(2j * math.pi * draw()), "a", 1.9)
    right = Panel(f, 268, 40, 200, 216, (0, 2.4), (0, 1.0))
    right.title("their magnitudes")
    right.grid((0, 1, 2), (0, 0.5, 1), "|w|/σ")
    right.path(curve(lambda r: 2 * r * math.exp(-r * r), 0, 2.4), "b", 2.6)
    mean = math.sqrt(math.pi) / 2
    right.path([mean + 0j, complex(mean, 2 * mean * math.exp(-mean * mean))], "soft", 1.2, "4 4")
    right.words("mean 0.886", mean + 0j, 6, -8, "start", "soft")
    f.words("densest at 0, yet few magnitudes are small: little area there", 240, 308, of="soft", size=13)
    return f
