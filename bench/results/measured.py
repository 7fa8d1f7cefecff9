#!/usr/bin/env python3
"""Measurements of trained runs other than their loss: runs/measured-NAME.json, and tables of them.

  measured.py travel NAME=RUNS ...      from all logs below RUNS, how far δ, b and θ had moved after some steps; from
                                        inspect*.json (argand inspect --travel --attention --json), what resetting parameters costs;
                                        entries of other NAMEs stay
  measured.py steps NAME=RUNS ...       from steps.json (experiments/answers.py); NAME: a heading
  measured.py sums RUNS                 from sums.json
  measured.py facts RUNS                from facts.json
  measured.py choices RUNS              from choices.json
  measured.py retrieved RUNS            from retrieved.json (argand eval RUN --retrieved-by READER --json)
  measured.py scaling RUNS              from scaling.json (experiments/scaling.py)
  measured.py attention RUNS ...        from inspect.json: heads, phases
  measured.py texts TEXT NAME=RUNS ...  from each.json (argand eval RUN --split valid --each --batch 1 --json): losses of each article of
                                        TEXT, WikiText-2's validation part, and which of AG News's articles are labelled correctly

RUNS contains ROW/seed-S/. experiments/fashion.py writes measured-fashion.json itself. The appendix (appendix.py) shows the result of tables().
"""
import json
import math
import re
import statistics
import sys
from bisect import bisect_right
from itertools import accumulate
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[1] / "experiments"))
import fashion
from reporting import quantile, rate_name, spread, table
from tasks import TITLE

STEPS = (100, 250, 500, 1000, 1500)  # the steps at which logs are read
BY_TEXTS = [("positions", "full", "rope"), ("positions", "without-pcl", "moduli"), ("positions", "rope-frequencies-scaled", "rope-scaled"),
            ("qic", "learned", "fixed-pi6"), ("qic", "learned", "fixed-0"), ("qic", "learned-from-pi4", "fixed-pi4"), ("qic", "learned-from-pi4", "real")]
SPREADS = {"phase_bias": 0.0, "delta": 0.02}  # learnt parameters initialised to N(0, σ²)


def kept(name):
    return HERE / "runs" / f"measured-{name}.json"


def write(name, entries):
    lines = ",\n ".join(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) for entry in entries)
    kept(name).write_text(f'{{"entries": [\n {lines}]}}\n', encoding="utf8")


def entries_of(name):
    return read(kept(name))["entries"]


def entries_of_others(name, key, named):
    """Those whose `key` is no NAME of the arguments NAME=RUNS."""
    names = {text.split("=", 1)[0] for text in named}
    return [entry for entry in entries_of(name) if entry[key] not in names]


def read(path):
    return json.loads(path.read_text(encoding="utf8"))


def digits(value):
    if isinstance(value, list):
        return [digits(one) for one in value]
    if isinstance(value, dict):
        return {key: digits(one) for key, one in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value


def config_of(run):
    return {key: value for part in read(run / "config.json").values() for key, value in part.items()}


def runs_in(folder):
    """(row, seed, the run's folder), sorted by row and seed."""
    return [(path.parent.name, int(path.name[5:]), path) for path in sorted(Path(folder).glob("*/seed-*")) if path.is_dir()]


def way_of(line, theta_init):
    """RMS distance of learnt parameters from their initial values: exact for b and θ; for random initial δ, from E|δ|² - σ²."""
    ways = {}
    for name, sigma in SPREADS.items():
        if f"{name}_mean" in line:
            ways[name] = math.sqrt(max(0.0, line[f"{name}_mean"] ** 2 + line[f"{name}_std"] ** 2 - sigma**2))
    angles = [angle - theta_init for values in line.get("theta", {}).values() for angle in values]
    if angles:
        ways["theta"], ways["longest theta"] = math.sqrt(statistics.fmean(way * way for way in angles)), max(map(abs, angles))
    return ways


def travel_of_log(name, run):
    config, points, reach, squares = config_of(run), [], 0.0, 0.0
    for line in (json.loads(text) for text in (run / "log.jsonl").read_text(encoding="utf8").splitlines()):
        if "lr" not in line:
            continue
        reach, squares = reach + line["lr"], squares + line["lr"] ** 2
        ways = way_of(line, config.get("theta_init", 0))
        if ways and line["step"] in {*STEPS, config["steps"]}:
            points.append([line["step"], digits(reach), digits(math.sqrt(squares)), digits(ways)])
    if points:
        return {"model": name, "lr": config["lr"], "steps": config["steps"], "seed": config["seed"], "points": points}


def travel(named):
    entries = entries_of_others("travel", "model", named)
    for text in named:
        name, folder = text.split("=", 1)
        for log in sorted(Path(folder).rglob("log.jsonl")):
            if (entry := travel_of_log(name, log.parent)) and entry not in entries:
                entries.append(entry)
        for row, seed, run in runs_in(folder):
            for measured in sorted(run.glob("inspect*.json")):
                found = read(measured)
                if "travel" in found:
                    t = found["travel"]
                    entries.append(digits({"model": name, "row": row, "seed": seed, "step": found["step"], "reach": t["reach"], "loss": t["loss"],
                                           "parts": {part["name"]: [part["rms"], part["longest"], part["set_back"] - t["loss"]] for part in t["parts"]}}))
    write("travel", entries)


def answers(kind, named):
    entries = []
    for text in named:
        name, folder = text.split("=", 1) if "=" in text else ("", text)
        for row, seed, run in runs_in(folder):
            if (run / f"{kind}.json").exists():
                entries.append({"row": row, "seed": seed, **({"set": name} if name else {}), **digits(read(run / f"{kind}.json"))})
                if (run / "config.json").exists():
                    entries[-1]["lr"] = config_of(run)["lr"]
    write(kind, sorted(entries, key=lambda one: (one.get("set", ""), one["row"], one["seed"])))


def attention(folders):
    entries = []
    for folder in folders:
        for row, seed, run in runs_in(folder):
            if (run / "inspect.json").exists() and "attention" in (found := read(run / "inspect.json")):
                entries.append({"row": row, "seed": seed, "heads": digits([[head.get(key) for key in ("entropy", "largest", "phases_of_q", "phases_of_k")]
                                                                          for head in found["attention"]["heads"]])})
    write("attention", entries)


def retrieved(folder):
    entries = []
    for row, seed, run in runs_in(folder):
        if (run / "retrieved.json").exists():
            found = read(run / "retrieved.json")
            entries.append({"row": row, "seed": seed, "reader": Path(found["retrieved_by"]).parent.parent.name,
                            "groups": [[one["in_passages"], one["before_in_window"], one["count"], round(one["loss"], 5)] for one in found["groups"] if one["count"]]})
    write("retrieved", entries)


def texts(given):
    """The losses of windows become those of the articles in which the windows begin. Entries of other NAMEs stay."""
    parts = re.split(f"^(?={TITLE})", Path(given[0]).read_text(encoding="utf8"), flags=re.M)
    ends = list(accumulate(len(part.encode()) for part in parts))
    entries = entries_of_others("texts", "set", given[1:])
    for text in given[1:]:
        name, folder = text.split("=", 1)
        for row, seed, run in runs_in(folder):
            if not (run / "each.json").exists():
                continue
            each = read(run / "each.json")["each"]
            entry = {"set": name, "row": row, "seed": seed}
            if "correct" in each:
                entry["correct"] = "".join(map(str, each["correct"]))
            else:
                if sum(each["bytes"]) != ends[-1]:
                    sys.exit(f"{run}/each.json covers {sum(each['bytes'])} bytes, but {given[0]} has {ends[-1]}")
                tokens, losses = [0] * len(ends), [0.0] * len(ends)
                for start, count, loss in zip(accumulate(each["bytes"], initial=0), each["count"], each["loss"]):
                    article = bisect_right(ends, start)
                    tokens[article], losses[article] = tokens[article] + count, losses[article] + count * loss
                entry["tokens"] = [count for count in tokens if count]
                entry["loss"] = [round(loss / count, 5) for loss, count in zip(losses, tokens) if count]
            entries.append(entry)
    write("texts", entries)


def grouped(entries, *keys):
    groups = {}
    for entry in entries:
        groups.setdefault(tuple(entry[key] for key in keys), []).append(entry)
    return groups


def slope(points):
    """Slope of log y over log x: the power p in y = c x^p."""
    xs, ys = zip(*((math.log(x), math.log(y)) for x, y in points))
    x, y = statistics.fmean(xs), statistics.fmean(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum((a - x) ** 2 for a in xs)


def travel_tables():
    entries = entries_of("travel")
    logs, worth = [one for one in entries if "points" in one], [one for one in entries if "parts" in one]
    rates = sorted({run["lr"] for run in logs})
    rows = []
    for (model, steps), runs in grouped(logs, "model", "steps").items():
        for name, called in (("phase_bias", "b"), ("delta", "δ"), ("theta", "θ")):
            ways = {rate: statistics.fmean(run["points"][-1][3][name] for run in of_rate) for (rate,), of_rate in grouped(runs, "lr").items() if name in of_rate[0]["points"][-1][3]}
            reach = {run["lr"]: run["points"][-1][1] for run in runs}
            if ways:
                rows.append([model, called, str(steps), *(f"{ways[rate]:.3f} ({100 * ways[rate] / reach[rate]:.0f} %)" if rate in ways else "-" for rate in rates),
                             f"{slope(ways.items()):.2f}" if len(ways) > 2 else "-"])
    longest = max(run["points"][-1][3].get("longest theta", 0) / run["points"][-1][1] for run in logs)
    parts = ["**Distance moved, by rate and steps.** The root mean square distance over all layers, heads and frequencies, and its share of the *reach*, the sum of all rates: about "
             "the most that Adam moves a number. For δ, which starts with deviation 0.02, 0.02² is subtracted from the mean square. *Power*: p in distance = c · rate^p. "
             f"No θ moved further than {100 * longest:.0f} % of the reach.\n",
             table(["runs", "of", "steps", *map(rate_name, rates), "power"], rows, [False, False] + [True] * (2 + len(rates)))]
    rows = []
    for (model, row, step), runs in grouped(sorted(worth, key=lambda one: (one["model"], one["step"], one["reach"], one["seed"])), "model", "row", "step").items():
        line = [model if row == model else f"{model}, {row}", str(step), str(len(runs)), f"{runs[0]['reach']:.3g}"]
        for part in ("attn.delta", "attn.phase_bias"):
            line += [spread([run["parts"][part][0] for run in runs], 3), f"{max(run['parts'][part][1] for run in runs) / runs[0]['reach']:.2f}",
                     spread([100 * math.expm1(run["parts"][part][2]) for run in runs])]
        rows.append(line)
    if rows:
        parts += ["**The cost of resetting them.** Distance as above, but from each number's own initial value; the largest distance of any number as a share of the reach; and by how many per cent "
                  "the perplexity of the validation text rises when all are reset to their initial values.\n",
                  table(["runs", "step", "seeds", "reach", "distance of δ", "largest", "cost, %", "distance of b", "largest", "cost, %"], rows, [False] + [True] * 9)]
    return parts


def steps_tables():
    parts = []
    for (name,), entries in grouped(entries_of("steps"), "set").items():
        rows = sorted(grouped(entries, "row").items(), key=lambda item: -statistics.fmean(run["right"] for run in item[1]))
        parts += [f"**{name}.** Correct answers in %, mean ± deviation of the seeds.\n",
                  table(["row", "rate", "right", "each seed"],
                        [[row, rate_name(runs[0]["lr"]), spread([100 * run["right"] for run in runs]), ", ".join(f"{100 * run['right']:.1f}" for run in runs)]
                         for (row,), runs in rows], [False, True, True, True])]
    return parts


def sums_tables():
    entries = entries_of("sums")
    rows = sorted(grouped(entries, "row").items(), key=lambda item: -sum(run["result"][2] for run in item[1]))
    return [f"{entries[0]['asked']} sums of numbers of each length, worked out column by column and decoded greedily; trained on one to three digits. Sums with the correct result in %, "
            "mean ± deviation of the seeds; each row at its best rate.\n",
            table(["row", "rate", *(f"{digits} digit{'s' if digits > 1 else ''}" for digits in range(1, 6))],
                  [[row, rate_name(runs[0]["lr"]), *(spread([100 * run["result"][k] for run in runs]) for k in range(5))] for (row,), runs in rows],
                  [False] + [True] * 6)]


def facts_tables():
    entries = entries_of("facts")
    rows = sorted(grouped(entries, "row").items(), key=lambda item: -statistics.fmean(run["in_passages_only"] for run in item[1]))
    return [f"Correct answers in % to {entries[0]['asked']} questions about people who occur in the training questions, and to as many about people whose facts are only in the passages; chance is "
            f"{100 * entries[0]['chance']:.0f}. Mean ± deviation of the seeds; each row at its best rate. `full-8000-steps`, added afterwards, is `full` trained ten times as long.\n",
            table(["row", "rate", "asked in training", "in the passages only"],
                  [[row, rate_name(runs[0]["lr"]), *(spread([100 * run[key] for run in runs]) for key in ("in_training", "in_passages_only"))] for (row,), runs in rows],
                  [False, True, True, True])]


def retrieved_tables():
    def loss(run, name):
        return next(group[3] for group in run["groups"] if name_of(group) == name)

    def name_of(group):
        where = {"yes": "in the passages", "no": "not in the passages", "none read": "no passage read"}[group[0]]
        return f"{where}, {'also' if group[1] else 'not'} earlier in the window"

    entries = entries_of("retrieved")
    parts = ["Loss in nats on the tokens of the validation part, by whether a token occurs in the passages that the reader's model retrieves for it, and whether it occurred earlier in "
             "its window; of the other rows the difference from the reader of the same seed. Mean ± deviation of the seeds; each row at its best rate.\n"]
    for (reader,), of_reader in grouped(entries, "reader").items():
        own = {run["seed"]: run for run in of_reader if run["row"] == reader}
        names = [name_of(group) for group in of_reader[0]["groups"]]
        rows = [[f"{reader}: tokens of seed {min(own)}", *(f"{group[2]:,}".replace(",", "\u202f") for group in own[min(own)]["groups"])],
                [f"{reader}: loss", *(spread([loss(run, name) for run in own.values()], 3) for name in names)]]
        for (row,), runs in grouped(of_reader, "row").items():
            if row != reader:
                apart = [[loss(run, name) - loss(own[run["seed"]], name) for run in runs] for name in names]
                rows.append([f"{row}: difference", *(f"{statistics.fmean(values):+.3f} ± {statistics.stdev(values):.3f} ({len(values)})" for values in apart)])
        parts.append(table(["", *names], rows, [False] + [True] * len(names)))
    return parts


def scaling_tables():
    entries = entries_of("scaling")
    bits = {(one["size"], one["row"]): one["bits_per_byte"] for one in entries}
    rows = []
    for one in entries:
        apart = [x - y for x, y in zip(one["bits_per_byte"], bits[one["size"], "rope"])]
        rows.append([one["size"], one["row"], f"{one['parameters'] / 1e6:.2f}", f"{one['flops'] / 1e9:.1f}", str(one["steps"]), rate_name(one["lr"]), spread(one["bits_per_byte"], 4),
                     "" if one["row"] == "rope" else f"{statistics.fmean(apart):+.4f} ± {statistics.stdev(apart):.4f}"])
    return [f"Every model trains for {entries[0]['flops'] * entries[0]['steps'] / 1e12:.1f} · 10¹² FLOPs of matrix products. Mean ± deviation of {len(entries[0]['bits_per_byte'])} seeds; each at its best "
            "rate. 0.010 bits per byte are 2 % of perplexity.\n",
            table(["size", "row", "parameters, 10⁶", "10⁹ FLOPs per step", "steps", "rate", "bits per byte", "minus RoPE's"], rows, [False, False] + [True] * 6)]


def choices_tables():
    rows = []
    entries = entries_of("choices")
    asked = entries[0]["asked"]
    for (row,), runs in grouped(entries, "row").items():
        rows.append([row, *(spread([100 * run[key] for run in runs]) for key in ("same_article", "other_articles"))])
    return [f"At {asked} places of the test part, which of four sentences comes next? The answer is the one with the highest mean log likelihood per token. Correct answers in %; chance is 25, and "
            f"one run's figure has a standard error of {100 * math.sqrt(0.25 * 0.75 / asked):.1f} from the choice of places.\n",
            table(["row", "others of the same article", "others of other articles"], rows, [False, True, True])]


def by_texts(runs, others):
    """Difference of two rows, its standard errors by the choice of seeds and of texts, and the share of texts on its side. `runs` and
    `others` have the same seeds; texts count by their tokens."""
    weights = runs[0].get("tokens") or [1] * len(runs[0]["correct"])
    apart = [[x - y for x, y in zip(a, b)] for a, b in ((run.get("loss") or [100 * int(c) for c in run["correct"]] for run in pair) for pair in zip(runs, others))]
    mean = lambda values: sum(w * value for w, value in zip(weights, values)) / sum(weights)
    of_seeds, of_texts = [mean(values) for values in apart], [statistics.fmean(values) for values in zip(*apart)]
    n, center = len(weights), mean(of_texts)
    texts = math.sqrt(n / (n - 1) * sum((w * (value - center)) ** 2 for w, value in zip(weights, of_texts))) / sum(weights)
    return center, statistics.stdev(of_seeds) / math.sqrt(len(apart)), texts, sum(value * center > 0 for value in of_texts) / n


def texts_tables():
    entries = grouped(entries_of("texts"), "set", "row")
    rows = []
    for name, row, other in BY_TEXTS:
        runs, others = ({run["seed"]: run for run in entries[name, one]} for one in (row, other))
        seeds = sorted(runs.keys() & others.keys())
        accuracy = "correct" in runs[seeds[0]]
        center, of_seeds, of_texts, side = by_texts([runs[seed] for seed in seeds], [others[seed] for seed in seeds])
        n, count = len(seeds), len(runs[seeds[0]].get("loss") or runs[seeds[0]]["correct"])
        both = of_seeds**2 + of_texts**2
        freedom = both**2 / (of_seeds**4 / (n - 1) + of_texts**4 / (count - 1))
        shown = (lambda x: f"{x:+.1f}") if accuracy else (lambda x: f"{100 * math.expm1(x):+.1f}")
        ends = lambda error, freedom: f"[{shown(center - quantile(freedom) * error)}, {shown(center + quantile(freedom) * error)}]"
        rows.append([name, f"`{row}` against `{other}`", str(n), shown(center) + (" points" if accuracy else " %"), ends(of_seeds, n - 1), ends(of_texts, count - 1), ends(math.sqrt(both), freedom),
                     "-" if accuracy else f"{100 * side:.0f} %"])
    return ["Comparisons of the chapter's first page, for rows that were trained again at their best rates. The intervals, for one comparison alone with 95 %, cover the choice of *seeds*, of *texts* "
            "(the 60 articles of WikiText-2's validation part, the 1000 test articles of AG News), and of both: the sum of the two variances, with Satterthwaite's degrees of freedom, "
            "which counts what is particular to a seed and a text twice. *Same side*: the share of articles on which the mean of the seeds has the sign of the difference.\n",
            table(["table", "comparison", "seeds", "difference", "over seeds", "over texts", "over both", "same side"], rows, [False, False] + [True] * 6)]


def attention_tables():
    rows = []
    for (row,), runs in grouped(entries_of("attention"), "row").items():
        means = [[statistics.fmean(column) if None not in column else None for column in zip(*run["heads"])] for run in runs]
        rows.append([row, *(spread([run[i] for run in means], 3) if means[0][i] is not None else "-" for i in range(4))])
    return ["Means over heads and layers, mean ± deviation of the seeds. *Entropy*: of a position's weights, 1 if all are equal and 0 if one has all the weight. *Phases*: the length of the mean "
            "of $e^{i\\theta}$ over the positions of a text, averaged over a head's pairs; 0 if phases are spread evenly over the circle, 1 if all are the same.\n",
            table(["row", "entropy", "largest weight", "phases of q", "phases of k"], rows, [False] + [True] * 4)]


def fashion_tables():
    results = read(kept("fashion"))
    rows, *others = fashion.tables(results)
    learn, test = results["settings"]["pictures"]
    seeds = len({run["seed"] for run in results["runs"]})
    parts = [f"Networks with two hidden layers, {results['settings']['epochs']} epochs of {learn} pictures of Fashion-MNIST, each row at its best rate "
             f"([experiments/fashion.py](../../experiments/fashion.py)). Accuracy on the {test} test pictures, mean ± deviation of {seeds} seeds; differences are between runs with the same seed, and so the "
             "same order of pictures, with 95 % intervals that hold for all rows of a table at once (Student's t, Bonferroni). They cover the choice of seeds, not that of test pictures. "
             "At π/4 no real part depends on an imaginary one, so `qic-pi4` reads half of each picture; it was added after the results of the others were known.\n", rows]
    for text, one in zip(("**Claims, written before the runs.** The interval decides.\n",
                          "**Where learnt angles end.** They start at π/6 = 0.524. Mean ± deviation of the seeds; according to QIC's slides they end between 0.75 and 0.85.\n"), others):
        parts += [text, one]
    return parts


def tables():
    """The section of the appendix with these measurements."""
    parts = ["## Measured of trained runs\n", "### How far inert parameters travel\n", *travel_tables()]
    for name, title, make in (("steps", "Which offset a token names, in one layer", steps_tables), ("sums", "Sums longer than in training", sums_tables),
                              ("facts", "Facts to look up", facts_tables), ("choices", "Which sentence comes next", choices_tables),
                              ("retrieved", "Words that occur in what was retrieved", retrieved_tables), ("scaling", "Models of several sizes at equal work", scaling_tables),
                              ("attention", "Sharpness of attention, and how evenly phases are spread", attention_tables),
                              ("texts", "Other seeds, other texts", texts_tables),
                              ("fashion", "Complex networks and QIC's beside real ones, on pictures", fashion_tables)):
        if kept(name).exists():
            parts += [f"### {title}\n", *make()]
    return parts


if __name__ == "__main__":
    kinds = {"travel": travel, "attention": attention, "retrieved": lambda given: retrieved(given[0]), "texts": texts,
             "scaling": lambda given: write("scaling", read(Path(given[0], "scaling.json"))["entries"]),
             **{kind: lambda given, kind=kind: answers(kind, given) for kind in ("steps", "sums", "facts", "choices")}}
    if len(sys.argv) < 3 or sys.argv[1] not in kinds:
        sys.exit(__doc__)
    kinds[sys.argv[1]](sys.argv[2:])
