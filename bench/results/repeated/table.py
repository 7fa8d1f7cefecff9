#!/usr/bin/env python3
"""The rows that were trained again, of all folders here, as one table in Markdown.

Each SETTING/FAMILY has what `argand ablate FAMILY --repeat bench/results/ablations/SETTING/FAMILY` wrote, repeated.md, and its runs.
"""
from pathlib import Path

here = Path(__file__).resolve().parent
print("| table | row | kept | of this seed | here | apart | other seeds | |\n|---|---|---:|---:|---:|---:|---:|---|")
for path in sorted(here.glob("*/*/repeated.md"), key=str):
    for line in path.read_text(encoding="utf8").splitlines()[2:]:
        if not line.startswith("|"):
            break
        print(f"| {path.parent.relative_to(here)} {line}")
