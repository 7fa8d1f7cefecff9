#!/usr/bin/env python3
"""The numbers in the sentences of docs/11-results.md, out of the kept logs: none of them has to be typed.

  quoted.py             compare the sentences with the logs, and say where they differ
  quoted.py --update    write the numbers of the logs into the chapter, and print the sentences to read again

quoted.txt beside this file holds pieces of the chapter's sentences with fields for their numbers. Spaces and ends of lines are alike, and each
piece has to be in the chapter once. A line [SETTING/FAMILY] names the folder of ablations/ that the fields after it are about:

  {ROW.WHAT}          against the first row of the table, with the table's own interval: by, low, high
  {A|B.WHAT}          A against B, as one of the paper's claims: by, low, high, with the interval of the table of claims
  {A/B.WHAT}          A against B, with an interval for this comparison alone: by, low, high
  {ROW@texts.WHAT}    how the judge tells the texts of a row from those of the first one: by, low, high
  {....least}         of the comparisons that are named, with semicolons in between, the least of the runs, each against the run of its seed; median
                      and most likewise, and seeds, how many there are; lowest and highest are those of the rows' means
  {A/B.nats}          the mean difference of the losses of A and B
  {ROW.mean}          the perplexity or accuracy of the row; of A/B that of A in the seeds that both have
  {claims.holds}      how many of the paper's claims hold, or are reversed, or open, that is cannot be told; claims.all; rows.told

Differences are in % of perplexity, or in points of accuracy. A minus before the rows turns a difference round: what is 5 % lower is
"{-A/B.by} % below". With @ behind a row it is not the perplexity after training but what was measured then: @513-1024 by the number of tokens
before, @exchanged with other passages in place of those that were found, @delta=0 with parameters put at a value. The latter two are
differences from the same run as it was. "ROW of SETTING" is a row of another folder. After a colon stands the format: .1f, of a count d, when there is none; word, or Word, for "three", or "Three".
A piece without a field is not of these logs, and only has to be there. Every interval of the prose has to be in one piece: "(1.2 to 3.4)", "−0.6 to 1.2".
"""
import json
import math
import re
import sys
from pathlib import Path
from statistics import mean, median, stdev

here = Path(__file__).resolve().parent
chapter_path = here.parents[1] / "docs" / "11-results.md"
words = "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
number, count = r"[−+]?\d+(?:\.\d+)?", f"(?:{'|'.join(words)}|\\d+)"
an_interval = re.compile(rf"\(−?\d+(?:\.\d+)? to {number}|[−+]\d+(?:\.\d+)? to {number}")


def student(t, freedom):
    """The probability that Student's t lies between -t and t (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(freedom))
    odd, term, total = freedom % 2, 1.0, 1.0
    for k in range(2 + odd, freedom, 2):
        term *= (k - 1) / k * math.cos(angle) ** 2
        total += term
    if not odd:
        return math.sin(angle) * total
    return 2 / math.pi * (angle + (math.sin(angle) * math.cos(angle) * total if freedom > 1 else 0))


def quantile(level, freedom):
    """The t between which and -t the share `level` lies."""
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if student(middle, freedom) < level else (low, middle)
    return low


class Table:
    """A folder of kept runs: what its table.json says, and what was measured of its runs."""

    def __init__(self, folder):
        self.folder = folder
        self.table = json.loads((folder / "table.json").read_text(encoding="utf8"))
        self.rows = {row["row"]: row for row in self.table["rows"]}
        self.first = self.table["rows"][0]["row"]
        self.claims = {(claim["better"], claim["worse"]): claim for claim in self.table["claims"]}
        self.perplexity = self.table["measure"] == "perplexity"

    def scale(self, value):
        return math.log(value) if self.perplexity else value

    def unit(self, difference):
        return 100 * math.expm1(difference) if self.perplexity else difference

    def of_seeds(self, row, where=""):
        """Seed by seed: the loss, or accuracy, of a row; with `where` the difference between what was measured so and the run as it was, or
        the loss by how many tokens come before."""
        if " of " in row:
            row, setting = row.split(" of ")
            return Table(self.folder.parents[1] / setting / self.folder.name).of_seeds(row, where)
        if row not in self.rows:
            raise KeyError(f"{self.folder} has no row '{row}'")
        if not where:
            return {seed: self.scale(value) for seed, value in zip(self.rows[row]["seeds"], self.rows[row]["values"])}
        found = {}
        for run in sorted((self.folder / row).glob("seed-*")):
            seed = int(run.name.split("-")[1])

            def said(name, run=run):
                return json.loads((run / f"{name}.json").read_text(encoding="utf8")) if (run / f"{name}.json").exists() else None
            if re.fullmatch(r"\d+-\d+", where):
                for span in (said("positions") or {"positions": []})["positions"]:
                    if f"{span['first']}-{span['last']}" == where:
                        found[seed] = span["loss"]
            elif where == "exchanged":
                if said("exchanged"):
                    found[seed] = said("exchanged")["exchanged"]["loss"] - said("exchanged")["loss"]
            elif said(f"with-{where}"):
                found[seed] = said(f"with-{where}")["loss"] - said("as-learnt")["loss"]
        if not found:
            raise KeyError(f"nothing was measured of {self.folder}/{row} @{where}")
        return found

    def differences(self, comparison):
        """Seed by seed: what A/B says, or what a row says against the first one, or @exchanged, @delta=0 of a row."""
        pair, where = (comparison.split("@") + [""])[:2]
        if where and not re.fullmatch(r"\d+-\d+", where):
            return list(self.of_seeds(pair, where).values())
        a, b = re.split(r"[/|]", pair) if re.search(r"[/|]", pair) else (pair, self.first)
        left, right = self.of_seeds(a, where), self.of_seeds(b, where)
        return [left[seed] - right[seed] for seed in left if seed in right]

    def interval(self, comparison):
        """by, low and high of a comparison."""
        if comparison.endswith("@texts"):
            cells = re.search(rf"^\| {re.escape(comparison[:-6])} \|.*\|$", (self.folder / "probes.md").read_text(encoding="utf8"), re.M)[0].split("|")
            return [float(found) for found in re.findall(r"[-+]?\d+\.\d+", cells[3])]
        if "|" in comparison:
            claim = self.claims[tuple(comparison.split("|"))]
            return claim["difference"], *claim["interval"]
        if comparison in self.rows:
            return self.rows[comparison]["difference"], *self.rows[comparison]["interval"]
        return self.alone(self.differences(comparison), 0.95)

    def alone(self, differences, level):
        middle, wide = mean(differences), quantile(level, len(differences) - 1) * stdev(differences) / len(differences) ** 0.5
        return [self.unit(value) for value in (middle, middle - wide, middle + wide)]

    def value(self, field):
        """What stands in a field, without its format."""
        field = field.strip()
        of, what = field.rsplit(".", 1)
        verdicts = {"holds": "holds", "reversed": "does not hold", "open": "cannot be told"}
        if of == "claims":
            said = [claim["verdict"] for claim in self.table["claims"]]
            return len(said) if what == "all" else said.count(verdicts[what])
        if field == "rows.told":
            return sum(row.get("verdict") in ("higher", "lower") for row in self.table["rows"])
        turned, names = of.startswith("-"), re.split(r"; *", of.lstrip("-"))
        if what == "mean":
            rows, where = (names[0].split("@") + [""])[:2]
            values, *others = (self.of_seeds(row, where) for row in rows.split("/"))
            values = [value for seed, value in values.items() if all(seed in other for other in others)]
            return mean(math.exp(value) for value in values) if self.perplexity else mean(values)
        if what in ("least", "median", "most", "seeds"):
            found = [self.unit(difference) for name in names for difference in self.differences(name)]
            if what == "seeds":
                return len(found) // len(names)
            return {"least": min, "median": median, "most": max}[what](-value if turned else value for value in found)
        if what in ("lowest", "highest"):
            found = [mean(self.unit(difference) for difference in self.differences(name)) for name in names]
            return (max if what == "highest" else min)(-value if turned else value for value in found)
        if what == "nats":
            return mean(self.differences(names[0])) * (-1 if turned else 1)
        by, low, high = self.interval(names[0])
        by, low, high = (-by, -high, -low) if turned else (by, low, high)
        return {"by": by, "low": low, "high": high}[what]

    def faults(self):
        """The intervals of table.json, reckoned once more by this file: what it says of comparisons alone can be trusted as far."""
        compared = [row for row in self.table["rows"] if len(row.get("interval", [])) == 2]
        for row in compared:
            again = self.alone(self.differences(row["row"]), 1 - 0.05 / len(compared))
            if any(abs(a - b) > 2e-3 * max(1, abs(b)) for a, b in zip(again, (row["difference"], *row["interval"]))):
                yield f"{self.folder}: {row['row']} has {again} here, and {row['difference'], *row['interval']} in table.json"


def formatted(value, kind):
    """A number as the chapter writes it."""
    if kind in ("word", "Word"):
        text = words[value] if value < len(words) else str(value)
        return text.capitalize() if kind == "Word" else text
    text = format(value, kind or ("d" if isinstance(value, int) else ".1f"))
    return ("−" + text[1:] if text.startswith("-") else text) if float(text) else text.lstrip("-+")


def pieces():
    """The pieces of quoted.txt: the table of each, the text, and its number of line."""
    table, tables = None, {}
    for line_number, line in enumerate((here / "quoted.txt").read_text(encoding="utf8").splitlines(), 1):
        if re.fullmatch(r"\[[\w/-]+\]", line):
            table = tables.setdefault(line, Table(here / "ablations" / line[1:-1]))
        elif line and not line.startswith("#"):
            yield table, line, line_number
    for known in tables.values():
        for fault in known.faults():
            raise SystemExit(f"quoted.py: {fault}")


def compare(text):
    """What quoted.txt and the chapter do not agree about, as messages; then the chapter with the numbers of the logs, and what changed."""
    faults, changes, covered = [], [], []
    for table, piece, line_number in pieces():
        parts = re.split(r"\{([^{}]*)\}", piece)
        pattern, values = "", []
        for k, part in enumerate(parts):
            if k % 2 == 0:
                pattern += r"\s+".join(re.escape(word) for word in re.split(r"\s+", part))
                continue
            field, kind = (part.split(":") + [""])[:2]
            try:
                values.append(formatted(table.value(field), kind))
            except (KeyError, IndexError, ValueError, TypeError, AttributeError) as error:
                faults.append(f"quoted.txt:{line_number}: {{{part}}}: {error!r}")
                values.append("?")
            pattern += f"((?i:{count}))" if kind in ("word", "Word") else f"({number})"
        found = list(re.finditer(pattern, text))
        if len(found) != 1:
            faults.append(f"quoted.txt:{line_number}: {len(found)} times in {chapter_path.name}: {piece}")
            continue
        covered.append(found[0].span())
        for group, value in enumerate(values, 1):
            if found[0][group] != value:
                changes.append((found[0].span(group), value))
                faults.append(f"quoted.txt:{line_number}: '{found[0][group]}' should be '{value}' in: {' '.join(found[0][0].split())}")
    prose = re.sub(r"```.*?```|^\|[^\n]*\[[-−+\d][^\n]*$", lambda hidden: re.sub(r"[^\n]", " ", hidden[0]), text, flags=re.S | re.M)
    for interval in an_interval.finditer(prose):
        if not any(first <= interval.start() and interval.end() <= last for first, last in covered):
            line = text[:interval.start()].count("\n") + 1
            faults.append(f"{chapter_path.name}:{line}: '{interval[0]}' is in no piece of quoted.txt")
    for (first, last), value in sorted(changes, reverse=True):
        text = text[:first] + value + text[last:]
    return faults, text, len(changes)


def main():
    if sys.argv[1:] not in ([], ["--update"]):
        sys.exit(__doc__)
    text = chapter_path.read_text(encoding="utf8")
    faults, new, changes = compare(text)
    for fault in faults:
        print(fault)
    if sys.argv[1:] and changes:
        beside = chapter_path.with_suffix(".md.new")
        beside.write_text(new, encoding="utf8")
        beside.replace(chapter_path)
        print(f"{changes} numbers of {chapter_path.name} are new: read these sentences again, and whether they still say what is so")
        return len(faults) > changes
    if not faults:
        print(f"{sum(1 for _ in pieces())} pieces of {chapter_path.name} have the numbers of the logs")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
