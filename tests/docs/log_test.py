"""docs/log.md names every key that runs write to their logs, and no others.

  log_test.py SOURCE_DIR ARGAND_PROGRAM
"""
import json
import os
import re
import subprocess
import sys
import tempfile

source, argand = sys.argv[1:]
TINY = "--n-layers 1 --d-model 16 --n-heads 2 --d-ff 16 --batch 4 --threads 1 --steps 4 --warmup 1 --eval-every 2".split()
RUNS = ["lm --data {text} --tokens words --words 9 --length 16 --pcl-weight 0.01 --sample-every 2 --sample-tokens 3",
        "lm --family crat --length 16 --irw-layers 0 --irw-passages 40 --irw-length 8 --irw-top-k 3 --irw-index hnsw",
        "classify --family qic --train-articles 40 --test-articles 20"]

with open(os.path.join(source, "docs/log.md"), encoding="utf8") as file:
    rows = re.findall(r"^\| (`.*?) \|", file.read(), re.M)
documented = {key for row in rows for key in re.findall(r"`(\w+)`", row)}

written = set()
with tempfile.TemporaryDirectory() as scratch:
    text = os.path.join(scratch, "text.txt")  # a vocabulary of nine words lacks most of the numbers
    with open(text, "w", encoding="utf8") as file:
        file.writelines(f"the word {i % 50} and another\n" for i in range(400))
    for number, options in enumerate(RUNS):
        options = options.format(text=text)
        folder = os.path.join(scratch, str(number))
        done = subprocess.run([argand, "train", *options.split(), *TINY, "--out", folder], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            if "without hnswlib" in done.stderr:
                documented.discard("irw_recall")
                continue
            sys.exit(f"train {options}: {done.stderr}")
        with open(os.path.join(folder, "log.jsonl"), encoding="utf8") as file:
            for line in file:
                written |= set(json.loads(line))

    more = [argand, "train", "lm", "--resume", os.path.join(scratch, "0"), "--threads", "1", "--steps", "6", "--lr", "1e-4"]
    done = subprocess.run(more, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{more}: {done.stderr}")
    with open(os.path.join(scratch, "0", "log.jsonl"), encoding="utf8") as file:
        for line in file:
            written |= set(json.loads(line))

for key in sorted(written - documented):
    print(f"docs/log.md does not document {key}")
for key in sorted(documented - written):
    print(f"docs/log.md documents {key}, which no run wrote")
print(f"{len(written)} keys")
sys.exit(written != documented)
