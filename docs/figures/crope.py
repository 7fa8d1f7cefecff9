"""Figures of the chapter on complex-linear projections."""
import math

from plot import Figure, Panel, circle, curve, figure

GLYPH = [0, 1j, 0.62 + 1j, 0.62 + 0.8j, 0.22 + 0.8j, 0.22 + 0.58j, 0.5 + 0.58j, 0.5 + 0.38j, 0.22 + 0.38j, 0.22 + 0j]  # an F


@figure
def blocks():
    f = Figure(290)
    alpha, gamma = 0.55 + 0.6j, 0.4 - 0.15j
    maps = (("α z", lambda z: alpha * z, "a"), ("γ z̄", lambda z: 1.7 * gamma * z.conjugate(), "b"), ("α z + γ z̄", lambda z: alpha * z + gamma * z.conjugate(), "against"))
    for k, (text, h, of) in enumerate(maps):
        p = Panel(f, 8 + 158 * k, 46, 148, 160, (-1.55, 1.55), (-1.6, 1.75))
        p.title(text)
        p.cross()
        p.path(GLYPH, "axis", 1.4, "3 3", closed=True)
        p.path([h(z) for z in GLYPH], of, 2.6, closed=True)
        p.path([h(z) for z in circle(0, 0.8)], of, 1, closed=True)
    f.words("dotted: the F before; ring: the image of a circle", 240, 236, of="soft", size=13)
    f.words("complex-linear: rotated and scaled. Conjugate-linear: mirrored", 240, 256, of="soft", size=13)
    f.words("first. A dense block does both: it shears, the ring is an ellipse", 240, 274, of="soft", size=13)
    return f


@figure
def head_by_hand():
    f = Figure(330)
    p = Panel(f, 46, 40, 420, 210, (-9.5, 9.5), (0, 430))
    p.grid((-8, -4, 0, 4, 8), (0, 200, 400), "distance of the key from the intended word", "score")
    score = lambda r: 50 * sum(math.cos(r * 5000 ** (-j / 8)) for j in range(8))
    p.path(curve(score, -9.5, 9.5, 300), "axis", 1.2)
    for r in range(-9, 10):
        p.path([complex(r, 0), complex(r, score(r))], "a" if r == 0 else "b", 5)
    p.words("400", 400j, 8, -4, "start", "a")
    p.words("373.7", 1 + 373.7j, 8, -2, "start", "b")
    f.words("the softmax gives the neighbours only e⁻²⁶", 240, 314, of="soft", size=13)
    return f


@figure
def phase_points_forwards():
    f = Figure(300)
    for k, (lead, text) in enumerate(((0, "real weights: q = 200"), (1, "complex: each rotated by its ω"))):
        p = Panel(f, 40 + 232 * k, 44, 190, 160, (-4.5, 4.5), (200, 420))
        p.title(text)
        p.grid((-4, -2, 0, 2, 4), (200, 300, 400) if not k else (), "key position minus query position")
        score = lambda r, a=lead: 50 * sum(math.cos((r - a) * 5000 ** (-j / 8)) for j in range(8))
        for r in range(-4, 5):
            best = r == lead
            p.path([complex(r, 200), complex(r, score(r))], "a" if best else "axis", 8)
    f.words("Real weights give an even function: the next and the previous", 240, 266, of="soft", size=13)
    f.words("word score the same. A phase moves the peak to the next word.", 240, 284, of="soft", size=13)
    return f
