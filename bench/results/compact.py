#!/usr/bin/env python3
"""One small file of a folder of kept runs: what its tables and figures need.

  compact.py FOLDER NAME.json [RUNS]

FOLDER is what `argand ablate --keep` left: ROW/seed-S/ with config.json, log.jsonl and probes, and table.md, which says what the rows are
and what the paper says of them. RUNS is the --out of `argand ablate --search`: what each rate came to is kept, too. Where NAME.json is there
already, with the same settings, the rows of FOLDER join those that it has, so that a table can be made on several days.
Curves of the training loss are thinned to steps that all logs have: some fifty of a classifier, 150 of a
language model, whose table of equal work needs them. tables.py makes the tables again. Whole logs are kept outside the repository.
"""
import json
import re
import statistics
import sys
from pathlib import Path

POINTS = {"lm": 160, "classify": 80}  # of a curve, at most


def read(path):
    return json.loads(path.read_text(encoding="utf8")) if path.exists() else None


def digits(value, count=6):
    return float(f"{value:.{count}g}") if isinstance(value, float) else value


def flat(config):
    return {key: value for part in config.values() for key, value in part.items() if key != "seed"}


def log_of(run):
    return [json.loads(line) for line in (run / "log.jsonl").read_text(encoding="utf8").splitlines()]


def costs(lines, run):
    """As `argand ablate --cost` reads them: of the median step, none of the first three."""
    steps = [line for line in lines if line.get("flops", 0) > 0]
    speeds = [line["tokens_per_second"] for line in lines if line.get("tokens_per_second", 0) > 0]
    found = {"tokens_per_second": statistics.median(speeds[3:] if len(speeds) > 6 else speeds)} if speeds else {}
    if steps:
        products = sum(line["flops"] for line in steps)
        found["flops_per_step"] = products / len(steps)
        found["flops_per_token"] = products / sum(round(line["tokens_per_second"] * line["seconds"]) for line in steps)
    found["peak_memory"] = max((line.get("peak_memory", 0) for line in lines), default=0)
    if latency := read(run / "latency.json"):
        found.update(milliseconds_per_token=latency["milliseconds_per_token"], first_token=latency["milliseconds_to_first_token"],
                     timed_by=latency["made_by"])
    return {key: digits(value, 9) for key, value in found.items()}


def probes(run):
    """What was measured of a trained run besides its loss."""
    found = {}
    if positions := read(run / "positions.json"):
        found["positions"] = {"length": positions["length"], "trained_length": positions["trained_length"],
                              "losses": [[p["first"], p["last"], digits(p["loss"], 10)] for p in positions["positions"]]}
    if written := read(run / "written.json"):
        found["texts"] = {key: written[key] for key in ("prompts", "prompt_length", "tokens", "top_p", "temperature", "judge") if key in written}
        for whose in ("model", "corpus"):
            found["texts"][whose] = {key: digits(value, 10) for key, value in written.get(whose, {}).items()}
    if learnt := read(run / "as-learnt.json"):
        found["as_learnt"] = learnt["loss"]
        found["with"] = {path.name[5:-5]: read(path)["loss"] for path in sorted(run.glob("with-*.json"))}
    if exchanged := read(run / "exchanged.json"):
        found["exchanged"] = [exchanged["count"], exchanged["loss"], exchanged["exchanged"]["loss"]]
    if audit := read(run / "audit.json"):
        found["audit"] = {key: audit[key] for key in ("batches", "windows", "reads", "pairs", "violations")}
    return found


def diagnostics(line):
    """What a step says of learnt parameters, beside the usual."""
    usual = {"step", "loss", "lr", "grad_norm", "auxiliary", "tokens_per_second", "seconds", "flops", "peak_memory"}
    return {key: value for key, value in line.items() if key not in usual}


def compact_run(run, steps):
    lines = log_of(run)
    losses = {line["step"]: line["loss"] for line in lines if "loss" in line}
    last = [line for line in lines if "valid_loss" in line][-1]
    found = {"seed": int(run.name[5:]), "loss": last["valid_loss"]}
    for key, name in (("valid_accuracy", "accuracy"), ("valid_bits_per_byte", "bits"), ("valid_tokens", "count"), ("valid_articles", "count")):
        if key in last:
            found[name] = last[key]
    found["made_by"] = next((line["made_by"] for line in reversed(lines) if "made_by" in line), None)
    found["curve"] = [digits(losses[step], 5) for step in steps]
    found["learnt"] = diagnostics([line for line in lines if "loss" in line][-1])
    return {**found, **costs(lines, run), **probes(run)}


def rows_of(first_table):
    """Of each row what it is and the paper's figure; what the paper's column is about. Without a paper there is no such column."""
    lines = first_table.splitlines()
    paper = re.search(r"\| paper(?:, (.*))? \|$", lines[0])
    return paper and paper[1] or "", {cells[0]: (cells[1], cells[-1] if paper and cells[-1] != "-" else "")
                                      for cells in ([cell.strip() for cell in line[1:-1].split("|")] for line in lines[2:])}


def claims_of(table):
    claims = []
    for line in table.splitlines()[2:]:
        what, paper, _, verdict = (cell.strip() for cell in line[1:-1].split("|"))
        if not what:
            claims.append({"paper": paper, "out_of_reach": verdict.removeprefix("out of reach: ")})
            continue
        better, worse, within = re.fullmatch(r"(\S+) (?:below|above|as) ([^\s,]+)(?:, ([\d.]+).* apart at most)?", what).groups()
        claims.append({"paper": paper, "better": better, "worse": worse, **({"within": float(within)} if within else {})})
    return claims


def rates(search):
    """What a row's search for a rate has found: rate -> perplexity (of a classifier accuracy in %), after a third of the length and the whole."""
    sweep = read(search / "sweep.json")
    found = {"third": {}, "whole": {}}
    for name, outcome in (sweep or {"runs": {}})["runs"].items():
        part = re.fullmatch(r"(third/)?lr=([^/]+)/seed-0", name)
        if part and outcome:
            found["third" if part[1] else "whole"][part[2]] = digits(outcome["metric"], 7)
    return {length: dict(sorted(of.items(), key=lambda item: float(item[0]))) for length, of in found.items()}


def joined(before, now):
    """The rows of both, in the order of those that were there; one that is in both is the new one."""
    same = ("family", "task", "asked", "steps", "source")
    for key in same:
        if before[key] != now[key]:
            sys.exit(f"compact.py: {key} differs: {before[key]} was kept, this is {now[key]}")
    rows = {row["row"]: row for row in before["rows"]}
    for row in now["rows"]:
        own = {**now["settings"], **row["settings"]}
        row["settings"] = {key: own.get(key) for key in sorted(before["settings"] | own) if own.get(key) != before["settings"].get(key)}
        rows[row["row"]] = row
    claims = before["claims"] + [claim for claim in now["claims"] if claim not in before["claims"]]
    return {**before, "note": now["note"] or before["note"], "claims": claims, "rows": list(rows.values())}


def compact(folder, runs_of_search=None):
    settings = read(folder / "ablation.json")
    cost = folder / "costs.md"
    text = (folder / "table.md" if (folder / "table.md").exists() else cost).read_text(encoding="utf8")
    blocks = text.strip().split("\n\n")
    source, rows = rows_of(blocks[0]) if (folder / "table.md").exists() else ("", {})
    names = [line.split("|")[1].strip() for line in blocks[0].splitlines()[2:]]
    claims, note, of_costs = [], "", ""
    for i, block in enumerate(blocks):
        if block.startswith("| claim |"):
            claims = claims_of(block)
            rest = [b for b in blocks[i + 1:] if not b.startswith("The intervals of this table")]
            note = " ".join(rest[0].split()) if rest else ""
    if cost.exists():
        said = " ".join(blocks[-1].split())
        of_costs = said[said.index(" The paper") + 1:] if " The paper" in said else ""
    runs = {name: sorted((run for run in (folder / name).glob("seed-*") if run.is_dir()), key=lambda run: int(run.name[5:])) for name in names}
    every = [run for of_row in runs.values() for run in of_row]
    steps = sorted(set.intersection(*({line["step"] for line in log_of(run) if "loss" in line} for run in every)))
    head, tail = ([1] if steps[:1] == [1] else []), [step for step in steps if step > 1]
    config = read(every[0] / "config.json")
    common, task = flat(config), config["model"]["task"]
    steps = head + tail[::-1][::max(1, -(-len(tail) // POINTS[task]))][::-1]
    found = {"family": settings.pop("family"), "task": task, "asked": settings, "source": source,
             "note": note, "costs": of_costs, "settings": common, "steps": steps, "claims": claims, "rows": []}
    interventions = []
    for name in names:
        own = flat(read(runs[name][0] / "config.json"))
        compacted = [compact_run(run, steps) for run in runs[name]]
        interventions = interventions or list(next((run["with"] for run in compacted if "with" in run), {}))
        parameters = [run["made_by"]["parameters"] for run in compacted if run["made_by"] and "parameters" in run["made_by"]]
        what, paper = rows.get(name, ("", ""))
        found["rows"].append({"row": name, "what": what, "paper": paper, "parameters": parameters[0],
                              "settings": {key: own.get(key) for key in sorted(common | own) if own.get(key) != common.get(key)}, "runs": compacted})
        if runs_of_search and (searched := rates(runs_of_search / "search" / name))["third"]:
            found["rows"][-1]["rates"] = searched
    found["interventions"] = sorted(interventions, key=lambda text: (text.count(","), text))
    return found


def text_of(found):
    """A line a run, so that a change shows where it is."""
    rows = []
    for row in found["rows"]:
        runs = ",\n   ".join(json.dumps(run, ensure_ascii=False, separators=(",", ":")) for run in row["runs"])
        head = json.dumps({key: value for key, value in row.items() if key != "runs"}, ensure_ascii=False)
        rows.append(f"{head[:-1]}, \"runs\": [\n   {runs}]}}")
    head = ",\n ".join(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in found.items() if key != "rows")
    return "{" + head + ",\n \"rows\": [\n  " + ",\n  ".join(rows) + "]}\n"


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    here = compact(Path(sys.argv[1]), Path(sys.argv[3]) if len(sys.argv) > 3 else None)
    there = read(Path(sys.argv[2]))
    Path(sys.argv[2]).write_text(text_of(joined(there, here) if there else here), encoding="utf8")
