"""Tables in Markdown, Student's t, and files that are replaced in one step: for the scripts here and in bench/results."""
import math
import os
import statistics


def table(head, rows, right):
    """A Markdown table; `right` lists the numeric columns, which are right-aligned."""
    rule = "|" + "".join("---:|" if one else "---|" for one in right)
    return "\n".join([f"| {' | '.join(head)} |", rule, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def spread(values, decimals=1):
    """Mean, sample standard deviation and count."""
    mean = f"{statistics.fmean(values):.{decimals}f}"
    return f"{mean} (1)" if len(values) == 1 else f"{mean} ± {statistics.stdev(values):.{decimals}f} ({len(values)})"


def within(t, n):
    """P(|T| < t) for Student's T with n degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    angle, term, total = math.atan(t / math.sqrt(n)), 1.0, 0.0
    if n % 2:
        term = math.cos(angle)
        for k in range(3, n + 1, 2):
            total, term = total + term, term * math.cos(angle)**2 * (k - 1) / k
        return 2 / math.pi * (angle + math.sin(angle) * total)
    for k in range(2, n + 1, 2):
        total, term = total + term, term * math.cos(angle)**2 * (k - 1) / k
    return math.sin(angle) * total


def quantile(freedom, share=0.95):
    """The bound within which this share of Student's t lies; linear between integers of `freedom`."""
    below = math.floor(freedom)
    if freedom != below:
        return quantile(below, share) + (freedom - below) * (quantile(below + 1, share) - quantile(below, share))
    low, high = 0.0, 1e6
    for _ in range(100):
        low, high = ((low + high) / 2, high) if within((low + high) / 2, below) < share else (low, (low + high) / 2)
    return high


def rate_name(rate):
    """Formats 0.016 as 1.6e-2."""
    mantissa, power = f"{rate:.2e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(power)}"


def replace(path, text):
    """Writes the file whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf8")
    os.replace(part, path)
