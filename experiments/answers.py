#!/usr/bin/env python3
"""Gives trained runs questions with a single correct answer. Needs the Python package (docs/python.md).

  answers.py steps RUNS [--offsets N]     which of the last eight letters does a digit point to? (tasks.py steps)
  answers.py sums RUNS                    sums of one to five digits, decoded greedily (tasks.py sums trains up to three)
  answers.py facts RUNS                   which town, which job? for people asked about in training, and for others (tasks.py facts)
  answers.py choices RUNS --data FOLDER   which of four sentences comes next? (WikiText-2's test part)

RUNS: the folder that `argand ablate --out` wrote. The results are printed, and stored in ROW/seed-S/steps.json, sums.json,
facts.json or choices.json under --out (default: RUNS); a run that has results is not asked again.
"""
import argparse
import json
import random
import re
import sys
from itertools import islice
from pathlib import Path

import argand
import tasks


def steps(model, given):
    """The share of correct letters, by how far back the digit points. Uses texts of many lengths to test all positions."""
    rng, asked, right = random.Random(1), {}, {}
    for length in range(2 * given.offsets + 2, int(model.config["length"]), 3):
        prompts, answers = [], []
        while len(prompts) < 200:
            text = "".join(islice((part for question in tasks.steps(rng, given.offsets) for part in question), 40))
            end = text[:-1].rfind(text[-2]) if text[-2].isdigit() else len(text) - 1
            prompts.append(text[end + 1 - length:end + 1]), answers.append(text[end - int(text[end])])
        for prompt, answer, made in zip(prompts, answers, model.generate(prompts, 1, temperature=0)):
            offset = int(prompt[-1])
            asked[offset] = asked.get(offset, 0) + 1
            right[offset] = right.get(offset, 0) + (made[length:] == answer)
    return {"asked": sum(asked.values()), "right": sum(right.values()) / sum(asked.values()), "by_offset": [right[d] / asked[d] for d in sorted(asked)]}


def sums(model, given):
    """Shares of sums with the correct result, and of those with all of the working correct."""
    rng, found = random.Random(1), {"asked": 200, "result": [], "working": []}
    for digits in range(1, 6):
        questions = list(islice(tasks.sums(rng, digits, digits), found["asked"]))
        prompts = ["\n" + question for question, _ in questions]
        made = model.generate(prompts, 4 * digits + 3, temperature=0)
        answers = [text[len(prompt):].split("\n")[0] for prompt, text in zip(prompts, made)]
        found["working"].append(sum(answer + "\n" == wanted for answer, (_, wanted) in zip(answers, questions)) / len(questions))
        found["result"].append(sum(answer.split(":")[-1] + "\n" == wanted.split(":")[-1] for answer, (_, wanted) in zip(answers, questions)) / len(questions))
    return found


def facts(model, given):
    """Shares of right answers about the people asked about in training, and about those whose facts are only in the passages. Two to five
    other questions with their answers come first, and up to five words are cut off the front, so that chunks begin anywhere."""
    rng, found = random.Random(1), {"asked": 400, "chance": 1 / tasks.PLACES}
    known, others = tasks.people(random.Random(0))
    for name, group in (("in_training", known), ("in_passages_only", others)):
        prompts, answers = [], []
        for _ in range(found["asked"]):
            before = "".join(" ".join(tasks.question(rng, rng.choice(known))) + "\n" for _ in range(rng.randint(2, 5)))
            asks, answer = tasks.question(rng, rng.choice(group))
            prompts.append(" ".join(before.split(" ")[rng.randint(0, 5):]) + asks), answers.append(answer)
        made = model.generate(prompts, 1, temperature=0)
        found[name] = sum(text[len(prompt):].strip() == answer for prompt, text, answer in zip(prompts, made, answers)) / len(prompts)
    return found


def items_of(text, count, far):
    """(preceding text, four sentences of 8 to 30 words, index of the right one); the wrong ones are from the same article or
    others."""
    rng = random.Random(1)
    articles = []
    for part in re.split("^" + tasks.TITLE, text, flags=re.M):
        sentences = [sentence + " ." for sentence in re.sub(r"\s+", " ", part).split(" . ")]
        fit = [i for i, sentence in enumerate(sentences) if 8 <= len(sentence.split()) <= 30 and "= =" not in sentence]
        if len(fit) >= 12:
            articles.append((sentences, fit))
    items = []
    for own, i in rng.sample([(a, i) for a, (_, fit) in enumerate(articles) for i in fit if i >= 4], count):
        sentences, fit = articles[own]
        pool = [articles[a][0][j] for a in range(len(articles)) if a != own for j in articles[a][1]] if far else [sentences[j] for j in fit if abs(j - i) > 3]
        four = [sentences[i], *rng.sample(pool, 3)]
        order = rng.sample(range(4), 4)
        items.append((" ".join(sentences[max(0, i - 6):i]), [four[k] for k in order], order.index(0)))
    return items


def choices(model, given):
    """The share of items in which the correct sentence has the highest mean log likelihood per token."""
    length, tokens = int(model.config["length"]), model.tokens
    names = [Path(given.data, name) for name in ("test.txt", "wiki.test.tokens")]
    text = next(path for path in names if path.exists()).read_text(encoding="utf8")
    found = {"asked": 300}
    for name, far in (("same_article", False), ("other_articles", True)):
        right = 0
        for before, sentences, wanted in items_of(text, found["asked"], far):
            context, losses = tokens.encode(before), []
            for sentence in sentences:
                ending = tokens.encode(sentence)[:length // 2]
                ids = [*context[-(length + 1 - len(ending)):], *ending]
                with argand.no_grad():
                    losses.append(float(model.loss([ids[:-1]], [ending])))
            right += losses.index(min(losses)) == wanted
        found[name] = right / found["asked"]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("steps", "sums", "facts", "choices"))
    parser.add_argument("runs", type=Path)
    parser.add_argument("--offsets", type=int, default=2)
    parser.add_argument("--data", default="wikitext-2")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    argand.set_num_threads(1)
    runs = sorted((path.parent for path in given.runs.glob("*/seed-*/last.safetensors")), key=lambda run: (run.name, run.parent.name))
    if not runs:
        sys.exit(f"{given.runs} contains no runs (ROW/seed-S/last.safetensors)")
    for run in runs:
        kept = (given.out or given.runs) / run.parent.name / run.name / f"{given.kind}.json"
        if not kept.exists():
            model = argand.load(run / "last.safetensors")
            if model.step < model.config["steps"]:
                continue  # it is still training
            figures = {"steps": steps, "sums": sums, "facts": facts, "choices": choices}[given.kind](model, given)
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(figures) + "\n", encoding="utf8")
        print(f"{run.parent.name}/{run.name}", kept.read_text(encoding="utf8").strip(), flush=True)


if __name__ == "__main__":
    main()
