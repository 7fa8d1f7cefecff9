"""The figures of the book are the output of docs/figures/draw.py, and every picture has a caption.

  figures_test.py SOURCE_DIR ARGAND

Redraws all figures and compares them with docs/pictures/SUBJECT/NAME.svg, coordinate by coordinate. Each must appear in a chapter,
with alternative text and a caption in italics below it. The chapters' other pictures need both as well.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

source, argand = sys.argv[1:]
docs = os.path.join(source, "docs")
failures = []
NUMBER = r"-?\d+(?:\.\d+)?"


def read(path):
    with open(path, encoding="utf8") as file:
        return file.read()


def apart(new, old):
    """How two drawings differ; "" if the texts are equal and the coordinates agree to half a unit of 480 (libm results vary)."""
    if re.split(NUMBER, new) != re.split(NUMBER, old):
        return "different lines or words"
    worst = max((abs(float(a) - float(b)) for a, b in zip(re.findall(NUMBER, new), re.findall(NUMBER, old))), default=0)
    return f"a coordinate differs by {worst:.1f}" if worst > 0.5 else ""


assert apart("M1 2.0L3 4", "M1 2.1L3 4") == "" and apart("M1 2L3 4", "M1 2L3 5") and apart("M1 2", "L1 2"), "the comparison misses differences"

with tempfile.TemporaryDirectory() as scratch:
    command = [sys.executable, os.path.join(docs, "figures", "draw.py"), "--out", scratch, "--argand", argand]
    subprocess.run(command, check=True, env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
    drawn = {os.path.relpath(path, scratch) for path in glob.glob(scratch + "/*/*.svg")}
    kept = {os.path.relpath(path, docs + "/pictures") for path in glob.glob(docs + "/pictures/*/*.svg")}
    if drawn != kept or not drawn:
        failures.append(f"docs/pictures/ and docs/figures/draw.py do not have the same figures: {sorted(drawn ^ kept)}")
    for name in sorted(drawn & kept):
        difference = apart(read(os.path.join(scratch, name)), read(os.path.join(docs, "pictures", name)))
        if difference:
            failures.append(f"docs/pictures/{name} differs from the output of docs/figures/draw.py: {difference}")

shown = []
for path in sorted(glob.glob(docs + "/*.md") + glob.glob(docs + "/guides/*.md")):
    text = read(path)
    for match in re.finditer(r"^!\[(.*?)\]\(([^)\s]+)\)$(?=\n\n((?:.+\n)*)|)", text, re.M):
        alternative, picture, below = match.groups()
        where = f"docs/{os.path.basename(path)}: {picture}"
        shown.append(os.path.relpath(os.path.join(os.path.dirname(path), picture), os.path.join(docs, "pictures")))
        if len(alternative) < 20:
            failures.append(f"{where} needs alternative text that describes it")
        if not re.fullmatch(r"\*[^*](?s:.*)[^*]\*\n", below or ""):
            failures.append(f"{where} needs a caption in italics below it")
failures += [f"no chapter shows docs/pictures/{name}" for name in sorted(kept - set(shown))]

command = [sys.executable, os.path.join(docs, "figures", "draw.py"), "calculus/ellipse"]
wrong = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
if wrong.returncode != 2 or "unknown figure calculus/ellipse; choose from calculus/cone-and-spiral" not in wrong.stderr:
    failures.append(f"wrong error for an unknown figure: {wrong.stderr}")
for text in failures:
    print(text)
print(f"{len(drawn)} figures drawn and compared, {len(shown)} pictures with captions")
sys.exit(1 if failures else 0)
