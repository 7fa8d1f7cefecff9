#!/usr/bin/env python3
"""Draws rows of the kept tables at random, and says how each is trained again.

  draw_rows.py [ROWS [SEED]]     5 rows, another choice each time, without arguments

Every row of a table in bench/results/ablations with at least two runs has the same chance; one that stands in two tables has two.
"""
import json
import random
import sys
from pathlib import Path

here = Path(__file__).resolve().parent / "ablations"
rows = [(table.parent.relative_to(here), row["row"]) for table in sorted(here.glob("*/*/table.json"), key=str)
        for row in json.loads(table.read_text(encoding="utf8"))["rows"] if len(row["values"]) > 1]
count = int(sys.argv[1]) if len(sys.argv) > 1 else 5
seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1_000_000)
if not 0 < count <= len(rows):
    sys.exit(f"there are {len(rows)} rows to draw from")
print(f"# {count} of {len(rows)} rows, drawn with seed {seed}")
for folder, row in random.Random(seed).sample(rows, count):
    print(f"argand ablate {folder.name} --repeat bench/results/ablations/{folder} --rows {row} --data DATA_DIR")
