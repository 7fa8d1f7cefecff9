#!/usr/bin/env python3
"""After `argand ablate --keep`: puts the new tables into docs/11-results.md, in the place of those that were kept before.

  update_chapter.py [FOLDER ...]      folders of kept runs; all of them when none is named

The old tables are those of the last commit. A block of table.md or probes.md whose old form the chapter does not hold, or holds twice, or
that another folder has as well, and one that the old file had not, are named and left to the hand. So is the prose around the tables: it has
numbers of its own, read it again. A second call without a commit in between finds nothing more to do.
"""
import collections
import re
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
chapter = root / "docs" / "11-results.md"
families = "| model | optimiser | parameters, millions | perplexity | bits a byte |"


def committed(path):
    """The file as the last commit has it; nothing when it has none."""
    done = subprocess.run(["git", "show", f"HEAD:{path.relative_to(root)}"], cwd=root, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def blocks(text):
    return [block for block in text.strip().split("\n\n") if block]


def kind(block):
    """What stays when the numbers change: the first line of a table without them, the first words of a paragraph."""
    line = block.splitlines()[0]
    return re.sub(r"\d+(\.\d+)?", "", line) if line.startswith("|") else " ".join(line.split()[:2])


def main():
    text = chapter.read_text(encoding="utf8")
    by_hand, replaced = [], 0
    every = sorted(path.parent for path in root.glob("bench/results/ablations/*/*/table.md"))
    folders = [Path(name).resolve() for name in sys.argv[1:]] or every
    for folder in folders:
        if folder not in every:
            sys.exit(f"update_chapter.py: {folder} is no folder of kept runs; there are {', '.join(str(path.relative_to(root)) for path in every)}")
    files = [folder / name for folder in every for name in ("table.md", "probes.md") if (folder / name).exists()]
    holders = collections.Counter(block for path in files for block in set(blocks(committed(path))))
    for path in [path for path in files if path.parent in folders]:
        old = blocks(committed(path))
        for block in blocks(path.read_text(encoding="utf8")):
            if block in old:
                continue
            twins = [before for before in old if kind(before) == kind(block)]
            if len(twins) == 1 and holders[twins[0]] == 1 and text.count(twins[0]) == 1:
                text = text.replace(twins[0], block)
                replaced += 1
            elif not (block in text and holders[block] == 0 and len(twins) == 1 and twins[0] not in text):  # done by an earlier call
                by_hand.append(f"{path.relative_to(root)}, to be put in by hand:\n{block}")
    table = subprocess.run([sys.executable, str(Path(__file__).with_name("families.py"))], capture_output=True, text=True, check=True).stdout.strip()
    twins = [before for before in text.split("\n\n") if before.startswith(families)]
    if len(twins) != 1:
        by_hand.append(f"families.py, to be put in by hand:\n{table}")
    elif twins[0] != table:
        text = text.replace(twins[0], table)
        replaced += 1
    chapter.write_text(text, encoding="utf8")
    for block in by_hand:
        print(block, end="\n\n")
    print(f"{replaced} blocks of {chapter.relative_to(root)} are new; {len(by_hand)} are left to the hand")
    return bool(by_hand)


if __name__ == "__main__":
    sys.exit(main())
