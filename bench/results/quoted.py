#!/usr/bin/env python3
"""The numbers in the sentences of docs/11-results.md, out of what its tables were made of.

  quoted.py             compare the sentences with the kept runs, and say where they differ
  quoted.py --update    write the numbers of the runs into the chapter, and print the sentences to read again

quoted.txt beside this file holds pieces of the chapter's sentences with fields for their numbers. Spaces and ends of
lines are alike, and each piece has to be in the chapter once. A line [SETTING/FAMILY] names the folder of ablations/
that the fields after it are about; `argand ablate --check` sees to it that its table.json is that of its logs.

  {ROW.by}            against the first row of the table, with the table's own interval, whose ends are low and high
  {A|B.by}            A against B as one of the paper's claims, with the interval of the table of claims
  {A/B.by}            A against B, with an interval for this comparison alone
  {ROW@texts.by}      the texts of a row against those of the first one, as the judge tells them (probes.md)
  {NAMES.least}       of one such comparison, or of several with semicolons in between, the least difference of two runs
  {NAMES.median}      with the same seed; the median; the greatest
  {NAMES.most}
  {NAMES.lowest}      of several comparisons the lowest mean, and the highest
  {NAMES.highest}
  {A/B.seeds}         how many seeds both have
  {A/B.nats}          the mean difference of the losses of A and B
  {ROW.mean}          the mean perplexity or accuracy of the row; of A/B that of A, in the seeds that both have
  {claims.holds}      how many of the paper's claims hold, or are reversed, or open (cannot be told), or are there: all
  {rows.told}         how many rows are told from the first

Differences are in % of perplexity, or in points of accuracy. A minus before the rows turns them round: what is 5 %
lower is "{-A/B.by} % below". With ROW@513-1024 they are of the perplexities by the number of tokens before, with
@exchanged or @delta=0 between a run with other passages, or with a parameter put at that value, and the same run as it
was. ROW#3 is of this seed, ROW#0-2 of these. "ROW of SETTING" is a row of another folder. After a colon stands the
format. Without one it is .1f, of a count d; word writes three, Word Three.

An interval of the prose, "(1.2 to 3.4)", "−0.6 to 1.2" or "interval is 1.2 to 3.4", has to be in a piece. So has what a
piece without a field says, which nobody checks: history.
"""
import functools
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
an_interval = re.compile(rf"(?:\(−?|[−+]|interval (?:is|was) )\d+(?:\.\d+)? to {number}")


def student(t, freedom):
    """The probability that Student's t lies between -t and t (Abramowitz and Stegun, Handbook of Mathematical Functions,
    26.7.3 and 26.7.4)."""
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

    def unit(self, difference):
        return 100 * math.expm1(difference) if self.perplexity else difference

    def of_seeds(self, row, where=""):
        """Seed by seed the loss, or accuracy, of a row; where `where` names another measurement, what that said."""
        row, *setting = row.split(" of ")
        if setting:
            return table_of(f"{setting[0]}/{self.folder.name}").of_seeds(row, where)
        row, *chosen = row.split("#")
        if row not in self.rows:
            raise ValueError(f"{self.folder.name} has no row '{row}'")
        seeds = self.rows[row]["seeds"]
        if chosen:
            ends = [int(end) for end in chosen[0].split("-")]
            seeds = list(range(ends[0], ends[-1] + 1))
        if not where:
            of_seed = dict(zip(self.rows[row]["seeds"], self.rows[row]["values"]))
            return {seed: math.log(of_seed[seed]) if self.perplexity else of_seed[seed] for seed in seeds}
        found = {}
        for seed in seeds:
            run = self.folder / row / f"seed-{seed}"
            said = {path.stem: json.loads(path.read_text(encoding="utf8")) for path in run.glob("*.json")}
            if re.fullmatch(r"\d+-\d+", where):  # of these no run may be missing
                found[seed], = [span["loss"] for span in said["positions"]["positions"] if f"{span['first']}-{span['last']}" == where]
            elif where == "exchanged":
                found[seed] = said["exchanged"]["exchanged"]["loss"] - said["exchanged"]["loss"]
            elif f"with-{where}" in said:
                found[seed] = said[f"with-{where}"]["loss"] - said["as-learnt"]["loss"]
        return found

    def differences(self, comparison):
        """Seed by seed what A/B says, or a row against the first one, or @exchanged or @delta=0 of a row."""
        pair, where = (comparison.split("@") + [""])[:2]
        if where and not re.fullmatch(r"\d+-\d+", where):
            return list(self.of_seeds(pair, where).values())
        a, b = re.split(r"[/|]", pair) if re.search(r"[/|]", pair) else (pair, self.first)
        left, right = self.of_seeds(a, where), self.of_seeds(b, where)
        return [left[seed] - right[seed] for seed in left if seed in right]

    def interval(self, comparison):
        """by, low and high of a comparison."""
        if comparison.endswith("@texts"):
            line = re.search(rf"^\| {re.escape(comparison[:-6])} \|.*\|$", (self.folder / "probes.md").read_text(encoding="utf8"), re.M)
            return [float(found) for found in re.findall(r"[-+]?\d+\.\d+", line[0].split("|")[3])]
        if "|" in comparison:
            claim = self.claims[tuple(comparison.split("|"))]
            return claim["difference"], *claim["interval"]
        if comparison in self.rows:
            return self.rows[comparison]["difference"], *self.rows[comparison]["interval"]
        of_table = re.fullmatch(r"[\w-]+#[\d-]+", comparison)  # a row with some of its seeds, among all rows as they are
        return self.alone(self.differences(comparison), 1 - 0.05 / (len(self.rows) - 1 if of_table else 1))

    def alone(self, differences, level):
        middle, wide = mean(differences), quantile(level, len(differences) - 1) * stdev(differences) / len(differences) ** 0.5
        return [self.unit(value) for value in (middle, middle - wide, middle + wide)]

    def value(self, field):
        """What stands in a field, without its format."""
        of, what = field.strip().rsplit(".", 1)
        if of == "claims":
            said = [claim["verdict"] for claim in self.table["claims"]]
            return len(said) if what == "all" else said.count({"holds": "holds", "reversed": "does not hold", "open": "cannot be told"}[what])
        if (of, what) == ("rows", "told"):
            return sum(row.get("verdict") in ("higher", "lower") for row in self.table["rows"])
        sign, names = (-1 if of.startswith("-") else 1), re.split(r"; *", of.lstrip("-"))
        if what in ("least", "median", "most"):
            found = [self.unit(difference) for name in names for difference in self.differences(name)]
            return {"least": min, "median": median, "most": max}[what](sign * value for value in found)
        if what in ("lowest", "highest"):
            found = [mean(self.unit(difference) for difference in self.differences(name)) for name in names]
            return {"lowest": min, "highest": max}[what](sign * value for value in found)
        name, = names  # what follows is of one comparison
        if what == "nats":
            return sign * mean(self.differences(name))
        if what in ("by", "low", "high"):
            by, low, high = self.interval(name)
            return {"by": sign * by, "low": low if sign > 0 else -high, "high": high if sign > 0 else -low}[what]
        if sign < 0:
            raise ValueError(f"a minus before '{what}' turns nothing round")
        if what == "seeds":
            return len(self.differences(name))
        if what != "mean":
            raise ValueError(f"'{what}' is nothing that can be asked")
        rows, where = (name.split("@") + [""])[:2]
        if where and not re.fullmatch(r"\d+-\d+", where):
            raise ValueError(f"@{where} is a difference, and has no mean of its own")
        values, *others = (self.of_seeds(row, where) for row in rows.split("/"))
        values = [value for seed, value in values.items() if all(seed in other for other in others)]
        return mean(math.exp(value) for value in values) if self.perplexity else mean(values)

    def faults(self):
        """The intervals of table.json that this file would reckon otherwise. The numbers there have six digits."""
        compared = [(row["row"], row) for row in self.table["rows"] if "interval" in row]
        claimed = [("|".join(pair), claim) for pair, claim in self.claims.items() if "interval" in claim]
        for of_one_table in (compared, claimed):
            for name, told in of_one_table:
                again = self.alone(self.differences(name), 1 - 0.05 / len(of_one_table))
                if any(abs(a - b) > 5e-3 * max(1, abs(b)) for a, b in zip(again, (told["difference"], *told["interval"]))):
                    yield f"{self.folder}: {name} has {again} here, and {told['difference'], *told['interval']} in table.json"


@functools.lru_cache(maxsize=None)
def table_of(name):
    return Table(here / "ablations" / name)


def formatted(value, kind):
    """A number as the chapter writes it."""
    if kind in ("word", "Word"):
        text = words[value] if value < len(words) else str(value)
        return text.capitalize() if kind == "Word" else text
    text = format(value, kind or ("d" if isinstance(value, int) else ".1f"))
    return ("−" + text[1:] if text.startswith("-") else text) if float(text) else text.lstrip("-+")


def compare(text):
    """What quoted.txt and the chapter do not agree about, as messages; the chapter with the numbers of the runs; how many of them are new; how
    many pieces there are."""
    faults, changes, covered, table, names, pieces = [], {}, [], None, set(), 0
    for line_number, piece in enumerate((here / "quoted.txt").read_text(encoding="utf8").splitlines(), 1):
        if re.fullmatch(r"\[[\w/-]+\]", piece):
            table = table_of(piece[1:-1])
            names.add(piece[1:-1])
            continue
        if not piece or piece.startswith("#"):
            continue
        pieces += 1
        pattern, values = r"(?<![\w.,−+-])", []
        for k, part in enumerate(re.split(r"\{([^{}]*)\}", piece)):
            if k % 2 == 0:
                pattern += r"\s+".join(re.escape(word) for word in re.split(r"\s+", part))
                continue
            field, kind = (part.split(":") + [""])[:2]
            pattern += f"((?i:{count}))" if kind in ("word", "Word") else f"({number})"
            try:
                values.append(formatted(table.value(field), kind))
            except (KeyError, IndexError, ValueError, TypeError, AttributeError, OSError) as error:
                faults.append(f"quoted.txt:{line_number}: {{{part}}}: {error!r}")
                values.append(None)
        found = list(re.finditer(pattern, text))
        if len(found) != 1:
            faults.append(f"quoted.txt:{line_number}: {len(found)} times in {chapter_path.name}: {piece}")
            continue
        covered.append(found[0].span())
        for group, value in enumerate(values, 1):
            if value is None or found[0][group] == value:
                continue
            turned = ", which has another sign," if found[0][group].startswith("−") != value.startswith("−") else ""
            faults.append(f"quoted.txt:{line_number}: '{found[0][group]}' should be '{value}'{turned} in: {' '.join(found[0][0].split())}")
            if changes.setdefault(found[0].span(group), value) != value:
                faults.append(f"quoted.txt:{line_number}: another piece says '{changes[found[0].span(group)]}' of the same number")
    faults += [fault for name in sorted(names) for fault in table_of(name).faults()]
    prose = re.sub(r"```.*?```|^\|[^\n]*\[[-−+\d][^\n]*$", lambda hidden: re.sub(r"[^\n]", " ", hidden[0]), text, flags=re.S | re.M)
    for interval in an_interval.finditer(prose):
        if not any(first <= interval.start() and interval.end() <= last for first, last in covered):
            line = text[:interval.start()].count("\n") + 1
            faults.append(f"{chapter_path.name}:{line}: '{interval[0]}' is in no piece of quoted.txt")
    for (first, last), value in sorted(changes.items(), reverse=True):
        text = text[:first] + value + text[last:]
    return faults, text, len(changes), pieces


def main():
    if sys.argv[1:] not in ([], ["--update"]):
        sys.exit(__doc__)
    faults, new, changes, pieces = compare(chapter_path.read_text(encoding="utf8"))
    for fault in faults:
        print(fault)
    if sys.argv[1:] and changes:
        beside = chapter_path.with_suffix(".md.new")
        beside.write_text(new, encoding="utf8")
        beside.replace(chapter_path)
        print(f"{changes} numbers of {chapter_path.name} are new: read these sentences again, and whether they still say what is so")
        return len(faults) > changes
    if not faults:
        print(f"{pieces} pieces of {chapter_path.name} have the numbers of the runs")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
