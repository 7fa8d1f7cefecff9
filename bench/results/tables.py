#!/usr/bin/env python3
"""The tables of kept results, made of the compact files in tables/: the words and numbers that `argand ablate` prints.

  tables.py NAME [KIND ...]   tables/NAME.json in Markdown; kinds are rows, rates, pace, claims, texts, positions, interventions, lookup, costs
"""
import json
import math
import statistics
import sys
import textwrap
from pathlib import Path

from comparison import compare

HERE = Path(__file__).resolve().parent
AVERAGED_STEPS = 100


def paragraph(text):
    return "\n".join(textwrap.wrap(text, 138, break_long_words=False, break_on_hyphens=False)) + "\n"


def signed(value):
    text = f"{value:+.1f}"
    return "0.0" if text[1:] == "0.0" else text


def spread(values, decimals=1):
    if not values:
        return "-"
    mean = f"{statistics.fmean(values):.{decimals}f}"
    return f"{mean} (1)" if len(values) == 1 else f"{mean} ± {statistics.stdev(values):.{decimals}f} ({len(values)})"


def with_unit(count):
    """Three digits: 10.9 M."""
    for unit in ("", " k", " M", " G"):
        if count < 999.5 or unit == " G":
            return f"{count}" if unit == "" else f"{count:.{2 if count < 9.995 else 1 if count < 99.95 else 0}f}{unit}"
        count /= 1000


def p_text(p):
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def table(head, rows, right):
    """Markdown; `right` says which columns are numbers."""
    rule = "|" + "".join("---:|" if one else "---|" for one in right)
    return "\n".join([f"| {' | '.join(head)} |", rule, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def rate_name(rate):
    """"0.016" as 1.6e-2."""
    digits, power = f"{float(rate):.2e}".split("e")
    return f"{digits.rstrip('0').rstrip('.')}e{int(power)}"


class Results:
    """A compact file: rows of runs, compared with the first row."""

    def __init__(self, path):
        self.all = json.loads(Path(path).read_text(encoding="utf8"))
        self.name = Path(path).stem
        self.lm = self.all["task"] == "lm"
        self.rows = self.all["rows"]
        self.first = self.rows[0]["row"]
        self.named = {row["row"]: row for row in self.rows}
        self.compared = dict(zip([row["row"] for row in self.rows[1:]], compare([self.differences(row["row"], self.first) for row in self.rows[1:]])))

    def value(self, run):
        """What runs are compared by: loss in nats, or accuracy in %."""
        return run["loss"] if self.lm else 100 * run["accuracy"]

    def differences(self, row, other):
        there = {run["seed"]: self.value(run) for run in self.named[other]["runs"]}
        return [self.value(run) - there[run["seed"]] for run in self.named[row]["runs"] if run["seed"] in there]

    def shown(self, difference):
        return 100 * math.expm1(difference) if self.lm else difference

    def metric(self, run):
        return math.exp(run["loss"]) if self.lm else 100 * run["accuracy"]

    def difference_text(self, one, of_losses=None):
        of_losses = self.lm if of_losses is None else of_losses
        if not one.differences:
            return "-"
        text = (lambda d: signed(100 * math.expm1(d))) if of_losses else signed
        unit = " %" if of_losses else ""
        return f"{text(one.mean)}{unit} (1)" if one.low is None else f"{text(one.mean)}{unit} [{text(one.low)}, {text(one.high)}]"

    def verdict(self, one):
        return {-1: "lower", 0: "not significant", 1: "higher"}[one.side()]

    # ---------------------------------------------------------------------------------------------- the tables

    def rows_table(self):
        lines, has_paper = [], any(row["paper"] for row in self.rows)
        for row in self.rows:
            one = self.compared.get(row["row"])
            verdict = "" if one is None else "-" if not one.differences else "one seed" if one.low is None else f"{self.verdict(one)}, {p_text(one.p)}"
            bits = [spread([run["bits"] for run in row["runs"] if "bits" in run], 3)] if self.lm else []
            lines.append([row["row"], row["what"], str(row["parameters"]), spread([self.metric(run) for run in row["runs"]]), *bits,
                          self.difference_text(one) if one else "", verdict, *([row["paper"] or "-"] if has_paper else [])])
        measure = ["perplexity", "bits a byte"] if self.lm else ["accuracy, %"]
        head = ["row", "", "parameters", *measure, f"against {self.first}", "verdict", *([f"paper, {self.all['source']}".removesuffix(", ")] if has_paper else [])]
        text = table(head, lines, [False, False, True, *[True] * len(measure), True, False, True][:len(head)]).replace("| row |  |", "| row | |")
        return text + ("\n" + self.explanation() if len(self.rows) > 1 else "")

    def explanation(self):
        compared = [one for one in self.compared.values() if one.differences]
        tested = [one for one in compared if one.low is not None]
        measure = "the perplexity, in %" if self.lm else "the accuracy, in points"
        text = f"Against {self.first}: {measure}, of runs with the same seed, and so with the same data in the same order. "
        if not tested:
            text += "A difference of one pair of runs has no interval and no verdict."
        else:
            alone = len(tested) == 1
            text += "In brackets its 95 % interval" if alone else f"In brackets 95 % intervals that hold for all {len(tested)} rows at once"
            text += f" (Student's t of the {'differences in loss' if self.lm else 'differences'} of the pairs{'' if alone else ', Bonferroni'}); "
            text += f"p is two-sided{'' if alone else ', after Holm'}. The verdict is that of the interval."
            if len(tested) < len(compared):
                text += " A row with one pair of runs has no interval."
        runs = self.rows[0]["runs"]
        if not self.lm and runs and runs[0].get("count"):
            share, count = statistics.fmean(run["accuracy"] for run in runs), runs[0]["count"]
            text += (f" All runs label the same {count} articles. The choice of these articles adds a standard deviation of "
                     f"{100 * math.sqrt(share * (1 - share) / count):.1f} points to each accuracy, which more seeds do not show.")
        return paragraph(text)

    def rates_table(self):
        """What each row came to at each rate: after the whole length, in brackets after a third of it; the rate that it then trains with is bold."""
        searched = {row["row"]: row for row in self.rows if "rates" in row}
        every = sorted({rate for row in searched.values() for of in row["rates"].values() for rate in of}, key=float)
        lines = []
        for name, row in searched.items():
            third, whole = row["rates"]["third"], row["rates"]["whole"]
            trained = float(row["settings"].get("lr", self.all["settings"]["lr"]))
            cells = []
            for rate in every:
                both = [f"{of[rate]:.1f}" for of in (whole, third) if rate in of]
                text = both[0] if rate in whole else f"({both[0]})" if both else "-"
                cells.append((f"**{text}**" if float(rate) == trained else text) + (f" ({both[1]})" if len(both) > 1 else ""))
            lines.append([name, *cells])
        if not lines:
            return ""
        measure = "Perplexity" if self.lm else "Accuracy in %"
        return table(["row", *map(rate_name, every)], lines, [False] + [True] * len(every)) + "\n" + paragraph(
            f"{measure} by learning rate, seed 0: after the whole length where that was run, in brackets after a third of it. With the rate in bold the row was trained.")

    def claims(self):
        """Of each claim that these rows can tell: the claim, the difference, the verdict."""
        told = [claim for claim in self.all["claims"] if claim.get("better") in self.named and claim.get("worse") in self.named]
        found = []
        for claim, one in zip(told, compare([self.differences(claim["better"], claim["worse"]) for claim in told])):
            verdict = "not significant"
            if one.low is not None and "within" in claim:
                most = math.log1p(claim["within"] / 100) if self.lm else claim["within"]
                verdict = "holds" if -most <= one.low and one.high <= most else "does not hold" if one.low > most or one.high < -most else verdict
            elif one.side():
                verdict = "holds" if one.side() == (-1 if self.lm else 1) else "does not hold"
            found.append((claim, one, verdict))
        return found

    def claims_table(self):
        lines, found = [], self.claims()
        for claim, one, verdict in found:
            within = claim.get("within")
            relation = "as" if within else "below" if self.lm else "above"
            most = f", {within:g}{' %' if self.lm else ' points'} apart at most" if within else ""
            why = "" if within and one.low is not None else f", {p_text(one.p)}" if one.low is not None else ", one seed" if one.differences else ", no pair of runs"
            lines.append([f"{claim['better']} {relation} {claim['worse']}{most}", claim["paper"], self.difference_text(one), verdict + why])
        if not lines:
            return ""
        lines += [["", claim["paper"], "", f"out of reach: {claim['out_of_reach']}"] for claim in self.all["claims"] if "out_of_reach" in claim]
        tested = sum(one.low is not None for _, one, _ in found)
        text = table(["claim", "the paper", "here, the first against the second", "verdict"], lines, [False, False, True, False])
        text = text.replace("\n|  |", "\n| |").replace(" |  | out", " | | out")
        if tested > 1:
            text += "\n" + paragraph(f"The intervals of this table hold for its {tested} claims at once.")
        return text + ("\n" + paragraph(self.all["note"]) if self.all["note"] else "")

    def pace(self):
        """Steps and work until the training loss is one that every run reaches."""
        steps = self.all["steps"]
        if not self.lm or not steps:
            return ""

        def means(run):
            losses, found = dict(zip(steps, run["curve"])), {}
            for last in steps:
                if last >= AVERAGED_STEPS:
                    near = [losses[step] for step in steps if last - AVERAGED_STEPS < step <= last]
                    found[last] = sum(near) / len(near)
            return found

        curves = {row["row"]: [means(run) for run in row["runs"]] for row in self.rows}
        if any(len(curve) < 2 for of_row in curves.values() for curve in of_row):
            return ""
        reached = math.ceil(100 * max(min(curve.values()) for of_row in curves.values() for curve in of_row) - 1e-6) / 100
        lines = []
        for row in self.rows:
            taken = [next(step for step, mean in curve.items() if mean <= reached + 1e-6) for curve in curves[row["row"]]]
            work = [step * run["flops_per_step"] / 1e12 for step, run in zip(taken, row["runs"])]
            lines.append([row["row"], f"{row['runs'][0]['flops_per_token'] / 1e6:.3g}", spread(taken, 0), spread(work)])
        count = sum(step > steps[-1] - AVERAGED_STEPS for step in steps)
        return table(["row", "million FLOPs a token", f"steps to a training loss of {reached:.2f}", f"10¹² FLOPs to {reached:.2f}"], lines, [False, True, True, True]) + "\n" + paragraph(
            f"Equal steps are not equal work. {reached:.2f} nats is the lowest training loss reached by every run, rounded up; each loss is the mean of the last "
            f"{AVERAGED_STEPS} steps, of the {count} among them that all logs have kept. FLOPs are those of matrix products, forward and backward, counted while running.")

    def texts_table(self):
        wrote = {row["row"]: {run["seed"]: run["texts"] for run in row["runs"] if "texts" in run} for row in self.rows}
        every = [text for row in wrote.values() for text in row.values()]
        if not every:
            return ""
        loss = {name: {seed: text["model"]["loss"] for seed, text in texts.items() if "loss" in text["model"]} for name, texts in wrote.items()}
        compared = dict(zip(list(wrote)[1:], compare([[loss[name][seed] - loss[self.first][seed] for seed in loss[name] if seed in loss[self.first]]
                                                      for name in list(wrote)[1:]])))
        lines = []
        for name, texts in wrote.items():
            if texts:
                figure = {key: [unit * text["model"][key] for text in texts.values()] for key, unit in (("dist_1", 1), ("dist_2", 1), ("rep_4", 100))}
                lines.append([name, spread([math.exp(value) for value in loss[name].values()]), "" if name == self.first else self.difference_text(compared[name], True),
                              spread(figure["dist_1"], 3), spread(figure["dist_2"], 3), spread(figure["rep_4"], 1)])
        if corpora := [text["corpus"] for text in every if text["corpus"]]:
            corpus = corpora[-1]
            lines.append(["*the text itself*", f"{math.exp(corpus['loss']):.1f}" if "loss" in corpus else "", "", f"{corpus['dist_1']:.3f}", f"{corpus['dist_2']:.3f}",
                          f"{100 * corpus['rep_4']:.1f}"])
        last, judges = every[-1], [text["judge"] for text in every if "judge" in text]
        judged = f"The judge is {judges[-1]}." if judges else "Not judged yet; add --judge RUN."
        return table(["row", "perplexity under the judge", f"against {self.first}", "Dist-1", "Dist-2", "Rep-4, %"], lines, [False] + [True] * 5) + "\n" + paragraph(
            f"{last['prompts']} texts of {last['tokens']} words after prompts of {last['prompt_length']}, nucleus {last['top_p']:g}, temperature {last['temperature']:g}, "
            f"the seed of the run. {judged}")

    def positions_table(self):
        read = {row["row"]: [run["positions"] for run in row["runs"] if "positions" in run] for row in self.rows}
        every = [one for of_row in read.values() for one in of_row]
        if not every:
            return ""
        longest, trained = max(one["length"] for one in every), every[-1]["trained_length"]
        spans = max((one["losses"] for one in every), key=len)
        lines = [[name, *(spread([math.exp(loss) for one in found for first, _, loss in one["losses"] if first == span[0]]) for span in spans)]
                 for name, found in read.items() if found]
        text = f"Perplexity of the test part by the number of preceding tokens in the window, in windows of {longest}, for models trained on {trained}."
        if longest > trained and any(one["length"] == one["trained_length"] for one in every):
            text += (f" Learned positions end at {trained}. A model that has them is measured in windows of {trained}, so its columns cover other words than the others.")
        return table(["row", *(f"{first}-{last}" for first, last, _ in spans)], lines, [False] + [True] * len(spans)) + "\n" + paragraph(text)

    def interventions_table(self):
        settings = self.all["interventions"]
        lines = []
        for row in self.rows:
            of_row = [[100 * math.expm1(run["with"][setting] - run["as_learnt"]) for run in row["runs"] if setting in run.get("with", {})] for setting in settings]
            if any(of_row):
                lines.append([row["row"], *map(spread, of_row)])
        if not lines:
            return ""
        return table(["row", *(f"with {setting}, %" for setting in settings)], lines, [False] + [True] * len(settings)) + "\n" + paragraph(
            "By how many % the perplexity of the validation part rises when every element of a parameter is set to a value after training, as `argand eval --set` does.")

    def lookup_table(self):
        lines, batches, scored = [], 0, 0
        for row in self.rows:
            audits = [run["audit"] for run in row["runs"] if "audit" in run]
            exchanged = [run["exchanged"] for run in row["runs"] if "exchanged" in run]
            if not audits and not exchanged:
                continue
            pairs = sum(audit["pairs"] for audit in audits)
            batches, scored = (audits[-1]["batches"] if audits else batches), (exchanged[-1][0] if exchanged else scored)
            lines.append([row["row"], f"{sum(audit['violations'] for audit in audits)} ({len(audits)})" if audits else "-", with_unit(pairs) if audits else "-",
                          spread([math.exp(one[1]) for one in exchanged]), spread([math.exp(one[2]) for one in exchanged]),
                          self.difference_text(compare([[one[2] - one[1] for one in exchanged]])[0], True)])
        if not lines:
            return ""
        notes = (f"Violations: pairs of a window and a passage read in it that contains the tokens to predict, in all {batches} batches of the first epoch of "
                 "training, as `argand audit retrieval` finds them, of all runs together (how many). ") if batches else ""
        notes += (f"Perplexity: of the {scored} tokens of the validation part; then with another passage in place of each retrieved one. In square brackets the 95 % "
                  "interval of that row alone. A row that uses what it retrieves does worse with other passages.") if scored else ""
        return table(["row", "violations", "of pairs", "perplexity", "with other passages", "difference"], lines, [False] + [True] * 5) + "\n" + paragraph(notes)

    def costs_table(self):
        writes = any("milliseconds_per_token" in run for row in self.rows for run in row["runs"])
        machines, lines = set(), []

        def cell(row, key, unit, decimals):
            of_row, of_first = ([run[key] for run in some["runs"] if run.get(key)] for some in (row, self.rows[0]))
            mean = statistics.fmean(of_row)
            text = f"{mean / unit:.3g}" if decimals is None else f"{mean / unit:.{decimals}f}"
            if key in ("tokens_per_second", "milliseconds_per_token") and len(of_row) > 1:
                text += f" ± {statistics.stdev(of_row):.{decimals}f}"
            return f"{text} ({mean / statistics.fmean(of_first):.2f})"

        for row in self.rows:
            cells = [cell(row, "flops_per_token", 1e6, None), cell(row, "tokens_per_second", 1, 0), cell(row, "peak_memory", 1 << 20, 0)]
            cells += [cell(row, "milliseconds_per_token", 1, 2)] if writes else []
            lines.append([row["row"], str(row["parameters"]), *cells])
            for run in row["runs"]:
                for by in (run["made_by"], run.get("timed_by")):
                    machines |= {f"{by['processor']}, {by['blas']} kernels, threads: {by['threads']}"} if by else set()
        notes = (f"In brackets: relative to {self.first}. FLOPs are counted while running: real multiplications and additions in matrix products, forward and backward, without norms, softmax and the optimiser. Tokens per second are those of the median step, mean ± deviation over the seeds, and can be compared on one machine only: {'; '.join(sorted(machines))}.")
        if writes:
            notes += (" Writing: time for each token after the first of a text generated alone, as `argand eval --latency` measures it. The prompt and the encoding of passages are not included.")
        if len(machines) > 1:
            notes += " These runs come from several, so their speeds cannot be compared."
        notes += f" {self.all['costs']}" if self.all["costs"] else ""
        head = ["row", "parameters", "million FLOPs a token", "tokens a second", "peak memory, MiB", *(["writing, ms a token"] if writes else [])]
        return table(head, lines, [False] + [True] * (len(head) - 1)) + "\n" + paragraph(notes)

    KINDS = {"rows": rows_table, "rates": rates_table, "pace": pace, "claims": claims_table, "texts": texts_table, "positions": positions_table,
             "interventions": interventions_table, "lookup": lookup_table, "costs": costs_table}

    def text(self, kinds):
        return "\n".join(filter(None, (self.KINDS[kind](self) for kind in kinds)))


def named(name):
    return Results(HERE / "tables" / f"{name}.json")


if __name__ == "__main__":
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(Results.KINDS):
        sys.exit(__doc__)
    kinds = sys.argv[2:] or (["costs"] if sys.argv[1].startswith("costs-") else [kind for kind in Results.KINDS if kind != "costs"])
    print(named(sys.argv[1]).text(kinds), end="")
