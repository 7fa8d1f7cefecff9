"""Figures of the chapter on numerical validation."""
import cmath
import math

from plot import Figure, Panel, curve, figure


def f_of(x):
    return 1 / (1 + x * x)


X, TRUTH = 0.5, -0.64


def error(quotient):
    return math.log10(max(abs(quotient - TRUTH), 1e-16))


@figure
def step_size():
    """The table of docs/programs/step_size.cpp, with four step sizes per power of ten."""
    f = Figure(400)
    p = Panel(f, 52, 36, 400, 290, (-15, -1), (-16.5, 0), log="xy")
    p.grid((-15, -12, -9, -6, -3), (-16, -12, -8, -4, 0), "step h", "error")
    ways = (("one-sided", "b", lambda h: (f_of(X + h) - f_of(X)) / h), ("central", "a", lambda h: (f_of(X + h) - f_of(X - h)) / (2 * h)),
            ("complex step", "along", lambda h: f_of(complex(X, h)).imag / h))
    for name, of, quotient in ways:
        points = [complex(k / 4, error(quotient(10 ** (k / 4)))) for k in range(-60, -3)]
        p.path(points, of, 1)
        for z in points:
            p.dot(z, of, 2.4)
    p.path([complex(-8, -8 - 0.8), complex(-1, -1 - 0.8)], "b", 1, "5 4")
    p.path([complex(-5.6, -11.2 - 0.2), complex(-1, -2 - 0.2)], "a", 1, "5 4")
    p.words("slope 1", -3.2 - 3.1j, 0, -8, "end", "b")
    p.words("slope 2", -3.9 - 8.3j, 6, 8, "start", "a")
    p.words("slope −1: cancellation", -14.7 - 8.7j, 0, 0, "start", "soft")
    for k, (name, of, _) in enumerate(ways):
        f.words(name, (115, 240, 370)[k], 388, of=of, bold=True)
    return f


@figure
def extrapolation():
    """Errors of the columns of Richardson's triangle for steps 0.1, 0.1/1.8, ..."""
    f = Figure(390)
    p = Panel(f, 52, 36, 400, 280, (-3.15, -0.9), (-16.5, -1.5), log="xy")
    p.grid((-3, -2, -1), (-16, -12, -8, -4), "shortest step of the quotients used", "error")
    steps = [0.1 / 1.8 ** k for k in range(9)]
    column, colours = [(f_of(X + h) - f_of(X - h)) / (2 * h) for h in steps], ("soft", "a", "b", "along", "against")
    for j in range(5):
        points = [complex(math.log10(h), error(value)) for h, value in zip(steps[j:], column)]
        p.path(points, colours[j], 1.8)
        for z in points:
            p.dot(z, colours[j], 3)
        column = [new + (new - old) / (1.8 ** (2 * j + 2) - 1) for old, new in zip(column, column[1:])]
    for k, (name, of) in enumerate(zip(("central", "once", "twice", "three times", "four times"), colours)):
        f.words(name, (80, 160, 230, 315, 415)[k], 378, of=of, bold=True, size=13)
    return f


@figure
def kinks_and_cuts():
    f = Figure(486)
    g = lambda h: cmath.sqrt(-1 + 1j * h).imag  # the square root across its branch cut
    cases = (("smooth: eˣ at 0", math.exp, 0.0, (0.4, 1.6), (0.5, 1, 1.5), (-0.5, 1.1), (0, 0.5, 1)),
             ("kink: |x| at 0", abs, 0.0, (-1.4, 1.4), (-1, 0, 1), (-0.5, 1.1), (0, 0.5, 1)),
             ("cut: Im √(−1 + ix) at 0", g, 1e-300, (-9, 9), (-8, 0, 8), (-2.3, 0.5), (-2, -1, 0)))
    for k, (name, h, zero, slopes, slope_ticks, jumps, jump_ticks) in enumerate(cases):
        top = 62 + 138 * k
        left, right = Panel(f, 40, top, 180, 84, (-6, 0), slopes, log="x"), Panel(f, 285, top, 180, 84, (-6, 0), jumps, log="x")
        left.grid((-6, -3, 0), slope_ticks)
        right.grid((-6, -3, 0), jump_ticks)
        f.words(name, 8, top - 12, "start", bold=True, size=13)
        middle = h(zero)
        for sign, of in ((1, "a"), (-1, "b")):
            left.path([complex(e / 8, (h(sign * 10 ** (e / 8)) - middle) / (sign * 10 ** (e / 8))) for e in range(-48, 1)], of, 2.2)
            right.path([complex(e / 8, h(sign * 10 ** (e / 8)) - middle) for e in range(-48, 1)], of, 2.2)
    f.words("slopes from either side", 130, 20, "middle", "soft", 13)
    f.words("jumps from either side", 375, 20, "middle", "soft", 13)
    f.words("against the step h; blue from the right, orange from the left", 240, 476, of="soft", size=13)
    return f


@figure
def a_wave_that_hides():
    """The chapter's wave, whose period is the shortest step, and the samples that six central quotients take of it."""
    f = Figure(370)
    for k, (ratio, text) in enumerate(((2, "steps h₀/2ᵏ: every sample falls on the same height"), (math.pi, "steps h₀/πᵏ: samples fall anywhere"))):
        p = Panel(f, 20, 44 + 160 * k, 440, 96, (-0.105, 0.105), (-1.25, 1.25))
        p.title(text)
        p.cross()
        period = 0.1 / 2 ** 5
        wave = lambda x: math.sin(2 * math.pi * (0.3 + x) / period)
        p.path(curve(wave, -0.105, 0.105, 1300), "axis", 0.9)
        for n in range(6):
            for sign in (1, -1):
                x = sign * 0.1 / ratio ** n
                p.dot(complex(x, wave(x)), "b" if k else "a", 4)
    f.words("sin(2πx/h₅) around x = 0.3, with h₀ = 0.1 and h₅ = h₀/32, and where", 240, 336, of="soft", size=13)
    f.words("six central quotients sample it", 240, 354, of="soft", size=13)
    return f
