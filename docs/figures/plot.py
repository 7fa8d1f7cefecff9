"""Draws the figures of the book as SVG: panels with axes, paths, arrows and contours.

A point is a complex number, its parts along the two axes. Colours are variables of web/book.css with fallback values: on the book's site a
figure follows the page's light or dark theme, elsewhere it is a white card. Every figure is 480 units wide, so that its words can be read
on a phone.
"""
import html
import math

COLOURS = {"text": "#1d232b", "soft": "#566070", "line": "#d9dad4", "grid": "#e6e7e2", "axis": "#a9aea6", "card": "#fff",
           "a": "#1d4ed8", "b": "#c2410c", "along": "#0b7a55", "against": "#9333ea", "bad": "#b91c1c", "warm": "#a16207"}
WIDTH = 480
FIGURES = {}
ARGAND = "argand"  # the program that computes the numbers for some figures


def figure(draw):
    """Registers a function that returns a Figure, as SUBJECT/NAME: the names of its file and of the function, with hyphens."""
    FIGURES[draw.__module__ + "/" + draw.__name__.replace("_", "-")] = draw
    return draw


def colour(name):
    return f"var(--{name}, {COLOURS[name]})"


# Words stay readable where lines cross them.
HALO = f"paint-order:stroke;stroke:{colour('card')};stroke-width:3px;stroke-linejoin:round"


def near(x):
    return f"{x:.1f}".removesuffix(".0").replace("-0", "0") if abs(x) < 0.05 else f"{x:.1f}".removesuffix(".0")


class Figure:
    def __init__(self, height):
        self.height, self.parts = height, []

    def add(self, part):
        self.parts.append(part)

    def words(self, text, x, y, at="middle", of="text", size=14, bold=False):
        weight = ";font-weight:600" if bold else ""
        self.add(f'<text x="{near(x)}" y="{near(y)}" text-anchor="{at}" style="fill:{colour(of)};font-size:{size}px{weight};{HALO}">{html.escape(text)}</text>')

    def line(self, points, of="text", width=1.6, dash="", closed=False, fill="none", opacity=1):
        """Draws a line through points (x, y), in the figure's coordinates."""
        d = "M" + "L".join(f"{near(x)} {near(y)}" for x, y in points) + ("Z" if closed else "")
        style = f"fill:{colour(fill) if fill != 'none' else 'none'};stroke:{colour(of) if of else 'none'};stroke-width:{width}"
        style += f";stroke-dasharray:{dash}" if dash else ""
        style += f";opacity:{opacity}" if opacity != 1 else ""
        self.add(f'<path d="{d}" style="{style}"/>')

    def arrow(self, start, end, of="text", width=1.8, dash="", tip=8):
        (x0, y0), (x, y) = start, end
        length = math.hypot(x - x0, y - y0)
        if length < 1:
            return
        tip = min(tip, 0.6 * length)
        ux, uy = (x - x0) / length, (y - y0) / length
        self.line([start, (x - 0.7 * tip * ux, y - 0.7 * tip * uy)], of, width, dash)
        self.line([(x, y), (x - tip * (ux + 0.4 * uy), y - tip * (uy - 0.4 * ux)), (x - tip * (ux - 0.4 * uy), y - tip * (uy + 0.4 * ux))],
                  "", 0, closed=True, fill=of)

    def dot(self, x, y, of="text", radius=3):
        self.add(f'<circle cx="{near(x)}" cy="{near(y)}" r="{radius}" style="fill:{colour(of)}"/>')

    def box(self, x, y, width, height, of="line", fill="card", radius=7):
        self.add(f'<rect x="{near(x)}" y="{near(y)}" width="{near(width)}" height="{near(height)}" rx="{radius}" '
                 f'style="fill:{colour(fill)};stroke:{colour(of)};stroke-width:1.2"/>')

    def svg(self):
        scale = 1.25  # the default size is larger than the units of the view box, for viewers that set no width
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" width="{WIDTH * scale:g}" height="{self.height * scale:g}" '
                f'font-family="system-ui, \'Liberation Sans\', \'DejaVu Sans\', sans-serif" stroke-linejoin="round" stroke-linecap="round">\n')
        return head + f'<rect width="{WIDTH}" height="{self.height}" style="fill:{colour("card")}"/>\n' + "\n".join(self.parts) + "\n</svg>\n"


class Panel:
    """A rectangle of a figure that shows x0 <= x <= x1, y0 <= y <= y1; an axis whose name is in `log` holds logarithms to 10."""

    def __init__(self, figure, left, top, width, height, x, y, log=""):
        self.figure, self.left, self.top, self.width, self.height, self.x, self.y, self.log = figure, left, top, width, height, x, y, log

    def at(self, z):
        return (self.left + (z.real - self.x[0]) / (self.x[1] - self.x[0]) * self.width,
                self.top + (self.y[1] - z.imag) / (self.y[1] - self.y[0]) * self.height)

    def inside(self, z):
        slack_x, slack_y = 1e-9 * (self.x[1] - self.x[0]), 1e-9 * (self.y[1] - self.y[0])
        return self.x[0] - slack_x <= z.real <= self.x[1] + slack_x and self.y[0] - slack_y <= z.imag <= self.y[1] + slack_y

    def title(self, text, of="text"):
        self.figure.words(text, self.left + self.width / 2, self.top - 8, of=of)

    def grid(self, xs=(), ys=(), x_name="", y_name="", x_text=None, y_text=None):
        """Draws grid lines with numbers at xs and ys, and the names of the axes."""
        def number(value, axis, text):
            if text:
                return text(value)
            return f"1e{value:g}" if axis in self.log else f"{value:g}".replace("-", "−")

        for value in xs:
            at, _ = self.at(complex(value, 0))
            self.figure.line([(at, self.top), (at, self.top + self.height)], "axis" if value == 0 and "x" not in self.log else "grid", 1)
            self.figure.words(number(value, "x", x_text), at, self.top + self.height + 15, of="soft", size=12)
        for value in ys:
            _, at = self.at(complex(0, value))
            self.figure.line([(self.left, at), (self.left + self.width, at)], "axis" if value == 0 and "y" not in self.log else "grid", 1)
            self.figure.words(number(value, "y", y_text), self.left - 5, at + 4, "end", "soft", 12)
        if x_name:
            self.figure.words(x_name, self.left + self.width / 2, self.top + self.height + (32 if xs else 18), of="soft", size=13)
        if y_name:
            self.figure.words(y_name, self.left, self.top - 8, "start", "soft", 13)

    def cross(self):
        """Draws the two axes, without numbers."""
        for ends in ((complex(self.x[0], 0), complex(self.x[1], 0)), (complex(0, self.y[0]), complex(0, self.y[1]))):
            if self.inside(ends[0]) and self.inside(ends[1]):
                self.figure.line([self.at(z) for z in ends], "axis", 1)

    def frame(self):
        self.figure.line([(self.left, self.top), (self.left + self.width, self.top), (self.left + self.width, self.top + self.height),
                          (self.left, self.top + self.height)], "line", 1, closed=True)

    def path(self, points, of="text", width=1.8, dash="", closed=False, fill="none", opacity=1):
        """Draws a line through the points, cut off where it leaves the panel."""
        piece, last = [], None
        for z in [*points, None]:
            if z is not None and self.inside(z):
                if not piece and last is not None:
                    piece.append(self.edge(z, last))
                piece.append(self.at(z))
            else:
                if piece and z is not None and last is not None:
                    piece.append(self.edge(last, z))
                if len(piece) > 1:
                    self.figure.line(piece, of, width, dash, closed and len(piece) >= len(points), fill, opacity)
                piece = []
            last = z

    def edge(self, within, without):
        """The point where the segment from a point inside to one outside leaves the panel."""
        low, high = 0.0, 1.0
        for _ in range(30):
            middle = (low + high) / 2
            if self.inside(within + middle * (without - within)):
                low = middle
            else:
                high = middle
        return self.at(within + low * (without - within))

    def arrow(self, start, end, of="text", width=1.8, dash="", tip=8):
        self.figure.arrow(self.at(start), self.at(end), of, width, dash, tip)

    def dot(self, z, of="text", radius=3):
        if self.inside(z):
            self.figure.dot(*self.at(z), of, radius)

    def words(self, text, z, dx=0, dy=0, at="middle", of="text", size=13):
        x, y = self.at(z)
        self.figure.words(text, x + dx, y + dy, at, of, size)

    def contour(self, height, levels, of="axis", width=1, count=80):
        """The lines height(z) = level, by marching squares on count × count squares, as one path per level."""
        nodes = [[complex(self.x[0] + (self.x[1] - self.x[0]) * i / count, self.y[0] + (self.y[1] - self.y[0]) * j / count) for i in range(count + 1)]
                 for j in range(count + 1)]
        heights = [[height(z) for z in row] for row in nodes]
        for level in levels:
            d = []
            for j in range(count):
                for i in range(count):
                    corners = [(nodes[b][a], heights[b][a]) for a, b in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))]
                    cuts = []
                    for (p, u), (q, v) in zip(corners, corners[1:] + corners[:1]):
                        if (u < level) != (v < level):
                            cuts.append(self.at(p + (level - u) / (v - u) * (q - p)))
                    for (x0, y0), (x1, y1) in zip(cuts[::2], cuts[1::2]):
                        d.append(f"M{near(x0)} {near(y0)}L{near(x1)} {near(y1)}")
            if d:
                self.figure.add(f'<path d="{"".join(d)}" style="fill:none;stroke:{colour(of)};stroke-width:{width}"/>')


def circle(centre=0, radius=1, count=72):
    return [centre + radius * complex(math.cos(2 * math.pi * k / count), math.sin(2 * math.pi * k / count)) for k in range(count)]


def curve(f, start, end, count=160):
    """The graph of a real function."""
    return [complex(x, f(x)) for x in (start + (end - start) * k / count for k in range(count + 1))]
