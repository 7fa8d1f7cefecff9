#!/usr/bin/env python3
"""docs/guides/results-tables.md: every table of kept results, produced by `argand ablate` from the files in tables/.

  appendix.py [ARGAND]            print the page
  appendix.py --write [ARGAND]    write it

ARGAND is the program; the default is build/apps/argand.
"""
import functools
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import measured
from measured import HERE, spread, table

ARGAND = HERE.parents[1] / "build" / "apps" / "argand"
PAGE = HERE.parents[1] / "docs" / "guides" / "results-tables.md"
INTRODUCTION = """# Appendix: the tables of the results

Every table of the runs that [chapter 11](../11-results.md) discusses, generated from the data kept of each run
([bench/results](../../bench/results/README.md)). Read that chapter first: it explains how to read a row. This page is not edited by hand; a test
generates it again. In the first tables **each row has its own best learning rate** ([the protocol](../../experiments/README.md)); in those from
[the first protocol](#the-first-protocol-one-rate-for-all-rows) on, all rows have the same one.
"""
FIRST_PROTOCOL = """## The first protocol: one rate for all rows

Language models train at a learning rate of 1e-3 (matrices trained by Muon at 2e-2, ten times its paper's), classifiers at 2e-3: every difference below
holds for this rate only.
"""
BEST = [  # each row at its own best rate
    ("best-positions", "ComplexFormer and RoPE, each row at its best rate", "thirteen rows are from the transformer with RoPE"),
    ("best-crope", "CRoPE, each row at its best rate", "six rows are from dense projections"),
    ("best-crat", "CRAT and its baselines, each row at its best rate", "twelve rows are from CRAT with its window"),
    ("best-qic", "QIC, each row at its best rate", "twelve rows are from learned angles"),
    ("best-questions", "What the first tables left open", "eighteen rows are from the transformer with RoPE"),
]
TASKS = [  # each row at its own best rate; what they answered is in measured.py
    ("best-facts", "Facts to look up: losses, rates and claims", "five rows are from CRAT with its window"),
    ("best-sums", "Sums longer than in training: losses, rates and claims", "seven rows are from the transformer with RoPE"),
]
MODELS = {"crope": "CRoPE, all projections complex", "complexformer": "ComplexFormer", "transformer-rope": "transformer, RoPE",
          "crat-irw": "CRAT with a window in layer 1", "crat": "CRAT", "qic": "QIC", "transformer": "transformer, learned positions"}
TABLES = [  # (file, heading, what its figure shows)
    ("small-1500-complexformer", "ComplexFormer", "seven rows are from the full model"),
    ("small-1500-embeddings-complexformer", "RoPE with scaled embeddings", "the row with scaled embeddings is from the transformer with RoPE"),
    ("small-1500-frequencies-complexformer", "ComplexFormer with RoPE's frequencies", "two ComplexFormers with RoPE's frequencies are from the transformer with RoPE"),
    ("small-1500-crope", "CRoPE", "five rows are from dense projections"),
    ("small-1500-crat", "CRAT and its baselines", "ten rows are from CRAT with its window"),
    ("ag-news-qic", "QIC", "ten rows are from learned angles"),
    ("ag-news-sensitivity-qic", "QIC: starts, learning rates, batches", "eleven rows are from the first; a learning rate of 1e-4 is far away"),
    ("ag-news-standard-qic", "The standard transformer of QIC's paper: learning rates, batches", "five rows are from a learning rate of 1e-3; that of 5e-3 is far away"),
    ("ag-news-author-qic", "QIC with the layers of the author's program", "four rows are from learned angles, in layers like those of the author's program"),
    ("ag-news-all-qic", "QIC with more articles", "ten rows are from learned angles, trained on more articles"),
]
MAIN, QIC, POSITIONS = "small-1500-complexformer", "ag-news-qic", "best-positions"
ALONE = [(POSITIONS, "without-pcl", POSITIONS, "moduli"), (POSITIONS, "moduli", POSITIONS, "without-pcl"), (POSITIONS, "fixed", POSITIONS, "moduli"), (POSITIONS, "shared", POSITIONS, "full"),
         (POSITIONS, "rope-frequencies-scaled", POSITIONS, "rope-scaled"), (POSITIONS, "sinusoidal-scaled", POSITIONS, "rope-scaled"),
         ("best-crope", "all", "best-crope", "half_all"), ("best-crat", "rope-untied", "best-crat", "rope"), ("best-crat", "sinusoidal-untied", "best-crat", "rope-untied"),
         ("best-crat", "full", "best-crat", "sinusoidal-untied"), ("best-crat", "real", "best-crat", "sinusoidal-untied"), ("best-crat", "retro", "best-crat", "rope-untied"),
         ("best-crat", "fid", "best-crat", "rope-untied"), ("best-qic", "algebraic", "best-qic", "fixed-0"), ("best-questions", "bias", "best-questions", "moduli"), ("best-questions", "without-pcl", "best-questions", "bias"),
         ("best-questions", "rope-large", "best-questions", "rope"), ("best-questions", "rope-scaled-small", "best-questions", "rope-scaled"), ("best-questions", "rope-scaled-small", "best-questions", "rope-large"),
         ("best-questions", "rope-frequencies-scaled-small", "best-questions", "rope-frequencies-large"), ("best-questions", "learned-large", "best-questions", "learned"),
         ("best-questions", "learned-scaled-small", "best-questions", "learned-large"), ("best-questions", "sinusoidal-scaled-small", "best-questions", "sinusoidal-large"),
         (MAIN, "moduli", MAIN, "without-pcl"), (MAIN, "moduli", MAIN, "rope"), ("small-1500-frequencies-complexformer", "rope-frequencies", MAIN, "without-pcl"),
         ("small-1500-frequencies-complexformer", "rope-frequencies", "small-1500-frequencies-complexformer", "fixed-rope"),
         (MAIN, "sinusoidal", "small-1500-embeddings-complexformer", "rope-scaled"), (MAIN, "learned", "small-1500-embeddings-complexformer", "rope-scaled"),
         ("small-1500-crope", "all", "small-1500-crope", "half_qk"), ("small-1500-crat", "rope-untied", "small-1500-crat", "rope"),
         ("small-1500-crat", "retro", "small-1500-crat", "rope-untied"), ("small-1500-crat", "fid", "small-1500-crat", "rope-untied"),
         ("ag-news-sensitivity-qic", "learned-from-0", QIC, "fixed-0")]
HEADINGS = {"rows": "", "rates": "By learning rate", "pace": "Equal work", "claims": "Claims", "texts": "Generated text", "positions": "By number of preceding tokens",
            "interventions": "The value of learnt angles", "lookup": "The value of retrieval"}


def ablate(file, *words):
    done = subprocess.run([ARGAND, "ablate", HERE / file, *words], capture_output=True, text=True, check=False)
    if done.stderr:
        sys.exit(done.stderr)
    return done.stdout


@functools.cache
def told(file, *words):
    """The program's output for a file of results: its values, and its tables in Markdown."""
    return json.loads(ablate(file, *words, "--json"))


def kept(file):
    return json.loads((HERE / file).read_text(encoding="utf8"))


def section(name, title, seen):
    results = told(f"tables/{name}.json")
    parts = [f"## {title}\n"]
    for kind, heading in HEADINGS.items():
        if text := results["tables"].get(kind):
            parts.append(f"**{heading}.**\n" if heading else "")
            parts.append(text)
            if kind == "rows":
                parts.append(f"![How far {seen}, a dot for each seed and a line for the interval](../pictures/results/{name}.svg)\n")
                parts.append(f"*Each row against `{results['rows'][0]['row']}`, seed by seed. A blue line does not contain 0: the difference is significant.*\n")
            if kind == "rows" and not any(name == task for task, *_ in TASKS) and (ways := travel(name)):
                parts.append(f"**How far learnt angles moved.**\n\n{ways}")
            if kind == "positions":
                parts.append(f"![Perplexity by the number of preceding tokens, on logarithmic axes, a line for each row](../pictures/results/{name}-positions.svg)\n")
                parts.append("*Perplexity by the number of preceding tokens, mean of the seeds. To the right of the dashed line, windows are longer than in training.*\n")
    return "\n".join(part for part in parts if part)


def shakespeare():
    rows = []
    for (model,), runs in sorted(measured.grouped(kept("runs/others.json")["shakespeare"]["runs"], "family").items(), key=lambda item: statistics.fmean(run["loss"] for run in item[1])):
        losses = [run["loss"] for run in runs]
        rows.append([MODELS.get(model, model).split(",")[0] if model == "crope" else MODELS[model], runs[0]["parameters"], spread(losses, 3),
                     ", ".join(f"{loss:.4f}" for loss in losses), f"{statistics.fmean(run['bits'] for run in runs):.3f}"])
    return table(["family", "parameters", "validation loss", "each seed", "bits per byte"], rows, [False, True, True, False, True])


def pytorch(name, measure):
    rows = []
    for (model,), runs in sorted(measured.grouped(kept("runs/others.json")[name]["runs"], "model").items(), key=lambda item: min(run[measure] for run in item[1])):
        cells = [", ".join(f"{run[measure]:.1f}" for run in runs if run["program"] == program) for program in ("argand", "pytorch")]
        rows.append([MODELS[model] if measure == "perplexity" else MODELS[model].split(",")[0], *cells])
    return table(["model", "argand, each seed", "PyTorch, each seed"], rows, [False, False, False])


def repeated():
    """Rows that were trained again, and where another seed might have ended."""
    rows = []
    for file in sorted((HERE / "repeated").glob("*.json")):
        text = ablate(f"tables/{file.name}", "--repeat", "--table", "--out", file)
        rows += [[file.stem, *line[2:-2].replace(" (1) |", " |").split(" | ")] for line in text.splitlines()[2:] if line.startswith("| ")]
    return table(["table", "row", "kept", "of this seed", "here", "apart", "other seeds", ""], rows, [False, False, True, True, True, True, True, False])


def travel(name):
    """How far learnt angles moved: for QIC from their starting values, for ComplexFormer their final distribution."""
    results, lines = kept(f"tables/{name}.json"), []
    for row in (row for row in results["rows"] if row["runs"][0]["learnt"]):
        ends = [run["learnt"] for run in row["runs"]]
        if "delta_mean" in ends[0]:
            lines.append([row["row"], *(spread([end[key] for end in ends], 3).replace("-0.000", "0.000") for key in ("delta_mean", "delta_std", "phase_bias_mean", "phase_bias_std"))])
        elif "theta" in ends[0] and row["row"] != "learned-from-random":
            start = row["settings"].get("theta_init", results["settings"]["theta_init"])
            moves = [[abs(angle - start) for angles in end["theta"].values() for angle in angles] for end in ends]
            lines.append([row["row"], f"{start:.3f}", spread([statistics.fmean(of_run) for of_run in moves], 3), f"{max(map(max, moves)):.3f}"])
    if not lines:
        return ""
    if len(lines[0]) == 5:
        return table(["row", "mean of δ", "deviation of δ", "mean of b", "deviation of b"], lines, [False] + [True] * 4) + (
            "\nOver all heads and frequencies after the last step, mean ± deviation of the seeds. δ starts with mean 0 and deviation 0.02, as in the paper; b starts at 0.\n")
    return table(["row", "initial θ", "mean distance", "largest distance"], lines, [False, True, True, True]) + (
        "\nDistance of the angles after the last step from their initial values, in radians, mean ± deviation of the seeds.\n")


def alone():
    """Comparisons made after seeing the tables, each with its own interval."""
    rows = []
    for first, a, second, b in ALONE:
        one = told(f"tables/{first}.json", "--rows", a, "--against", f"{HERE}/tables/{second}.json:{b}")["rows"][1]
        rows.append([f"{a} against {b}", first if first == second else f"{first}, {second}", str(len(one["pairs"])), one["text"]])
    return table(["comparison", "tables", "seeds", "difference"], rows, [False, False, True, True])


VERDICTS = ("holds", "does not hold", "not significant")


def counted(claims):
    """How many hold, fail and are open, first of the papers' claims, then of our own."""
    ours = [claim["verdict"] for claim in claims if claim["paper"].startswith("ours")]
    papers = [claim["verdict"] for claim in claims if not claim["paper"].startswith("ours")]
    return ["/".join(str(found.count(verdict)) for verdict in VERDICTS) if found else "-" for found in (papers, ours)]


def claims_in_all():
    rows = [[title, *counted(claims)] for name, title, _ in BEST + TASKS + TABLES if (claims := told(f"tables/{name}.json")["claims"])]
    return table(["table", "the papers' claims", "our own"], rows, [False, True, True]) + "\nHow many hold / are reversed / are not significant.\n"


def without_seed_0():
    """The claims at best rates with and without seed 0, with which the rates were chosen."""
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, *_ in BEST:
            others = kept(f"tables/{name}.json")
            for row in others["rows"]:
                row["runs"] = [run for run in row["runs"] if run["seed"] != 0]
            file = Path(scratch, f"{name}.json")
            file.write_text(json.dumps(others), encoding="utf8")
            for all_seeds, four in zip(told(f"tables/{name}.json")["claims"], told(str(file))["claims"]):
                rows.append([name, f"{four['better']}, {four['worse']}", all_seeds["text"], four["text"], "" if four["verdict"] == all_seeds["verdict"] else f"now {four['verdict']}"])
    return table(["table", "claim", "seeds 0 to 4", "seeds 1 to 4", "verdict"], rows, [False, False, True, True, False])


def page():
    parts = [INTRODUCTION, "## Claims stated before the runs, counted\n", claims_in_all(), *(section(*one) for one in BEST), "## The claims without the seed that chose the rates\n",
             "Rates were chosen with seed 0, on the data on which rows are compared. These are the claims with and without that seed; four seeds have wider intervals.\n", without_seed_0(),
             *measured.tables(), *(section(*one) for one in TASKS), FIRST_PROTOCOL, *(section(*one) for one in TABLES), "## Single comparisons\n",
             "Chosen after the tables had been read, so less reliable than the tables. Each interval is for its comparison alone.\n", alone(), "## Costs\n",
             "Twelve steps of every language model and a hundred of every classifier, three seeds, two threads. The machine is a virtual one with shared memory bandwidth: times "
             "that are not several deviations apart cannot be distinguished.\n"]
    parts += [f"**{title}.**\n\n{told(f'tables/costs-{name}.json')['tables']['costs']}" for name, title in (("complexformer", "ComplexFormer"), ("crope", "CRoPE"), ("crat", "CRAT"), ("qic", "QIC"))]
    parts += ["## The same models in PyTorch\n", "Preset `small`, 500 steps, validation perplexity in full blocks, every parameter decays.\n",
              pytorch("pytorch-500", "perplexity"), "Classifiers of AG News, two layers of width 128, no dropout, at most 128 words of an article, accuracy in %.\n",
              pytorch("pytorch-ag-news", "accuracy"), "## Shakespeare, letter by letter\n",
              "Preset `shakespeare`, after 2 000 steps, the seeds 1, 2 and 3. nanoGPT's README gives 1.88 for its own recipe with learned positions.\n", shakespeare(), "## Rows that were trained again\n",
              "Ten rows drawn at random, five of the first protocol and five at their best rates (`best-…`), trained again with seed 0 and OpenBLAS's kernels for older processors. *Other seeds* is the range of differences to the kept run that a run with another seed "
              "would have in 95 of 100 such tables.\n", repeated()]
    return "\n".join(parts)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    write = arguments[:1] == ["--write"]
    if len(arguments[write:]) > 1 or any(word.startswith("-") for word in arguments[write:]):
        sys.exit(__doc__)
    ARGAND = Path(arguments[-1]) if arguments[write:] else ARGAND
    if write:
        PAGE.write_text(page(), encoding="utf8")
    else:
        print(page(), end="")
