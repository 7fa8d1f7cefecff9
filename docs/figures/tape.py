"""Figures of the chapter on the tape."""
import json
import math
import subprocess

import plot
from plot import Figure, Panel, figure


def complex_text(z):
    return f"{z[0]:.2f} {'+' if z[1] >= 0 else '−'} {abs(z[1]):.2f}i".replace("-", "−")


@figure
def contributions():
    """The tape of the chapter's loss, with the numbers of `argand lab --tape`."""
    told = subprocess.run([plot.ARGAND, "lab", "abs2(z*exp(z) + conj(z))", "--at", "0.5+1.5i", "--json", "--tape"], capture_output=True, text=True, check=True)
    steps = json.loads(told.stdout)["tapes"][0]
    names = {"exp(z)": "v1 = exp z", "mul(z, v1)": "v2 = z v1", "conj(z)": "v3 = z̄", "add(v2, v3)": "v4 = v2 + v3", "abs2(v4)": "L = |v4|²"}
    place = {"v1": (84, 400), "v2": (115, 290), "v3": (340, 290), "v4": (228, 165), "v5": (228, 55), "z": (228, 520)}
    f = Figure(600)
    size = (176, 50)
    for step in steps:  # drawn below the boxes: the gradient that each op passes to its inputs
        x, y = place[step["name"]]
        for share in step["shares"]:
            to_x, to_y = place[share["to"]]
            start, end = (x + 0.25 * (to_x - x), y + size[1] / 2), (to_x + 0.3 * (x - to_x), to_y - size[1] / 2 - 3)
            f.arrow(start, end, "b", 2.2)
            along = 0.44 if share["to"] == "z" and step["name"] == "v2" else 0.62 if share["to"] == "z" else 0.5
            at_x, at_y = start[0] + along * (end[0] - start[0]), start[1] + along * (end[1] - start[1])
            at_x += 66 if step["name"] == "v2" and share["to"] == "z" else -34 if step["name"] == "v1" else 0
            f.add(f'<rect x="{at_x - 58:.1f}" y="{at_y - 10:.1f}" width="116" height="18" style="fill:{plot.colour("card")};opacity:.85"/>')
            f.words(f"+ ({complex_text(share['added'])})" if share["to"] == "z" else complex_text(share["added"]), at_x, at_y + 4, of="b", size=12)
    for step in steps:
        x, y = place[step["name"]]
        f.box(x - size[0] / 2 + (16 if x < 100 else 0), y - size[1] / 2, size[0] - (32 if x < 100 else 0), size[1], "a")
        real = abs(step["value"][1]) == 0 and step["name"] == "v5"
        f.words(names[step["call"]], x, y - 5, bold=True)
        f.words(f"{step['value'][0]:.2f}" if real else complex_text(step["value"]), x, y + 14, of="a", size=12)
    x, y = place["z"]
    total = [sum(s["added"][k] for step in steps for s in step["shares"] if s["to"] == "z") for k in (0, 1)]
    f.box(x - 125, y - 28, 250, 56, "text", radius=26)
    f.words("z = 0.50 + 1.50i", x, y - 5, bold=True)
    f.words("g_z = " + complex_text(total) + ", the sum of three", x, y + 15, of="b", size=12)
    f.words("g_L = 1", 340, 60, of="b", size=12)
    f.words("blue: values, computed upwards; orange: gradients, passed downwards", 240, 584, of="soft", size=13)
    return f


@figure
def memory():
    """The number of values kept while a chain of 36 ops runs forwards and backwards: all of them, or every sixth and those of one stretch."""
    n = 36
    whole = [(t, t) for t in range(n + 1)] + [(n + k, n - k) for k in range(1, n + 1)]
    stretch, kept, time, some = round(math.sqrt(n)), 0, 0, [(0, 0)]
    for k in range(1, n + 1):
        time, kept = time + 1, kept + (k % stretch == 0)
        some.append((time, kept))
    for _ in range(n // stretch):
        for k in range(stretch):  # recomputed from the value that was kept
            time, kept = time + 1, kept + (k < stretch - 1)
            some.append((time, kept))
        for _ in range(stretch):
            time, kept = time + 1, kept - 1
            some.append((time, kept))
    f = Figure(330)
    p = Panel(f, 40, 36, 420, 220, (0, 110), (0, 40))
    p.grid((0, 36, 72, 108), (0, 12, 36), "ops that have run, forwards and backwards", "values kept")
    p.path([complex(*point) for point in whole], "a", 2.4)
    p.path([complex(*point) for point in some], "b", 2.4)
    p.words("all", 36 + 36j, 22, 4, "start", "a")
    p.words("every sixth", 80 + 11j, 0, -8, "middle", "b")
    f.words("a chain of 36 ops", 240, 318, of="soft", size=13)
    return f


@figure
def two_orders():
    """Gradients of L = |u + v|² with u = z², v = u z, propagated in the order of the tape and in a wrong order."""
    f = Figure(300)
    z = 1 + 0.5j
    u, v = z * z, z ** 3
    g = 2 * (u + v)  # the gradient that the sum passes to both u and v
    right = (2 * z).conjugate() * (g + z.conjugate() * g) + u.conjugate() * g
    wrong = (2 * z).conjugate() * g + u.conjugate() * g
    h = 1e-6
    loss = lambda z: abs(z * z + z ** 3) ** 2
    slope = complex((loss(z + h) - loss(z - h)) / (2 * h), (loss(z + 1j * h) - loss(z - 1j * h)) / (2 * h))
    for k, (text, order, found, of) in enumerate((("backwards along the tape", ("L = |u + v|²", "v = u z", "u = z²"), right, "along"),
                                                   ("u before v", ("L = |u + v|²", "u = z²", "v = u z"), wrong, "bad"))):
        x = 122 + 236 * k
        f.words(text, x, 24, of=of)
        for n, name in enumerate(order):
            f.box(x - 70, 40 + 52 * n, 140, 34, "a")
            f.words(f"{n + 1}.  {name}", x, 62 + 52 * n)
            if n < 2:
                f.arrow((x, 74 + 52 * n), (x, 91 + 52 * n), "soft")
        f.words("g_z = " + complex_text((found.real, found.imag)), x, 216, of=of, bold=True)
    f.words("by differences: " + complex_text((slope.real, slope.imag)), 240, 248, of="text")
    f.words("z = 1 + ½i. On the right u is done before v adds to its gradient:", 240, 274, of="soft", size=13)
    f.words("that share is lost.", 240, 291, of="soft", size=13)
    return f
