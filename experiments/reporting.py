"""Tables in Markdown, and files that are replaced in one step: for the scripts here and in bench/results."""
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


def rate_name(rate):
    """Formats 0.016 as 1.6e-2."""
    mantissa, power = f"{rate:.2e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(power)}"


def replace(path, text):
    """Writes the file whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf8")
    os.replace(part, path)
