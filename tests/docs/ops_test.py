"""docs/ops.md is the output of `argand explain --markdown` and names every op.

  ops_test.py SOURCE_DIR ARGAND_PROGRAM
"""
import os
import re
import subprocess
import sys

source, argand = sys.argv[1:]
written = subprocess.run([argand, "explain", "--markdown"], capture_output=True, text=True, check=True, encoding="utf8").stdout
path = os.path.join(source, "docs", "ops.md")
kept = open(path, encoding="utf8").read() if os.path.exists(path) else ""
failures = []
if kept != written:
    failures.append("docs/ops.md is stale; regenerate it:\n  build/apps/argand explain --markdown > docs/ops.md")

# Every link in the table of contents leads to a heading, and every op has a heading.
headings = re.findall(r"^### (\S+)$", written, re.M)
links = re.findall(r"\]\(#([^)]+)\)", written)
anchors = [re.sub(r"[^\w-]", "", h.lower().replace(" ", "-")) for h in re.findall(r"^#+ (.*)$", written, re.M)]
failures += [f"docs/ops.md: no heading for #{link}" for link in links if link not in anchors]
said = int(re.search(r": (\d+) ops\.", written).group(1))
registered = int(re.search(r"number_of_ops = (\d+)", open(os.path.join(source, "tests/autograd/gradcheck_ops_test.cpp"), encoding="utf8").read()).group(1))
if not len(headings) == len(set(headings)) == said == registered:
    failures.append(f"docs/ops.md: {len(headings)} headings, {said} ops according to its text, {registered} registered ops")

for text in failures:
    print(text)
sys.exit(1 if failures else 0)
