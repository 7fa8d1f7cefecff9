"""Draws the figures of the book.

  draw.py [--out DIRECTORY] [--argand PROGRAM] [SUBJECT/NAME...]

writes docs/pictures/SUBJECT/NAME.svg for these, or for all; --out writes elsewhere. Some ask `argand` for their numbers. A test draws all
again and compares (tests/docs/figures_test.py).
"""
import argparse
import os

import plot
import calculus  # noqa: F401: each of these modules registers its figures
import conventions  # noqa: F401
import tape  # noqa: F401
import validation  # noqa: F401
import complexformer  # noqa: F401
import crope  # noqa: F401
import crat  # noqa: F401
import qic  # noqa: F401
import optimisers  # noqa: F401
import network  # noqa: F401
import results  # noqa: F401


def main():
    pictures = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "pictures")
    parser = argparse.ArgumentParser(description="Draws the figures of the book.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="one of " + ", ".join(sorted(plot.FIGURES)))
    parser.add_argument("--out", default=pictures, help="where they are written (docs/pictures)")
    parser.add_argument("--argand", default="argand", help="the argand program that computes the numbers")
    options = parser.parse_args()
    plot.ARGAND = options.argand
    for name in options.names or plot.FIGURES:
        if name not in plot.FIGURES:
            parser.error(f"unknown figure {name}; choose from {', '.join(sorted(plot.FIGURES))}")
        os.makedirs(os.path.join(options.out, os.path.dirname(name)), exist_ok=True)
        with open(os.path.join(options.out, name + ".svg"), "w", encoding="utf8") as file:
            file.write(plot.FIGURES[name]().svg())


main()
