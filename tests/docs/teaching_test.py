"""The teaching kit is consistent: the sheets for students are the teacher's sheets without the answers, points add up, the plan
names slides that exist, and the lab can show what the slides link to. (book_test.py runs the commands in the answers.)

  teaching_test.py SOURCE_DIR ARGAND
"""
import os
import re
import subprocess
import sys

source, argand = sys.argv[1:]
folder, failures = os.path.join(source, "docs", "teaching"), []
sys.path.insert(0, folder)
import sheets  # noqa: E402


def expect(rule, text):
    if not rule:
        failures.append(text)


def read(name):
    with open(os.path.join(folder, name), encoding="utf8") as file:
        return file.read()


assert sheets.without_answers("# A: the teacher's copy\n\nq\n\n<details>\nx\n</details>\n\n## 2\n") == "# A\n\nq\n\n## 2\n"
made = list(sheets.sheets())
expect(len(made) == 3, f"{len(made)} sheets")
for path, text in made:
    name = os.path.basename(path)
    expect(os.path.exists(path) and read(name) == text, f"{name} is stale; regenerate it: python3 docs/teaching/sheets.py")
    points = [int(n) for n in re.findall(r"^## .*\((\d+) points?\)$", text, re.M)]
    expect(len(points) == text.count("\n## ") and sum(points) == 20 and text.count("Twenty points.") == 1, f"{name}: the points {points} do not add up to 20")
    teacher = read(name.replace(".md", "-teacher.md"))
    expect(teacher.count("<details>") == teacher.count("</details>") == len(points), f"{name}: a problem does not have exactly one answer")
    expect("Answer" not in text and "argand lab \"" not in text, f"{name}: an answer remains")

slides = read("slides.md").split("\n## ")[1:]
expect(len(slides) == len({slide.split("\n")[0] for slide in slides}), "slides.md: two slides have the same title")
rows = re.findall(r"^\| (\d+) – (\d+) \| (\d+)(?: – (\d+))? \|", read("lecture-plan.md"), re.M)
expect(rows and rows[0][0] == "0" and rows[-1][1] == "90", "lecture-plan.md: not ninety minutes")
for before, after in zip(rows, rows[1:]):
    expect(before[1] == after[0], f"lecture-plan.md: minute {before[1]} is followed by {after[0]}")
    expect(int(before[3] or before[2]) + 1 == int(after[2]), f"lecture-plan.md: slide {before[3] or before[2]} is followed by {after[2]}")
expect(rows and int(rows[-1][3] or rows[-1][2]) == len(slides), f"lecture-plan.md: must end at slide {len(slides)}")

links = [link for comment in re.findall(r"<!-- lab: (.*?) -->", read("slides.md")) for link in comment.split("; ")]
expect(len(links) >= 10, f"slides.md: {len(links)} links to the lab")
for link in links:
    found = re.fullmatch(r"(.*?) at (\S+?)(?: ask (dz|dzbar|gradient))?", link)
    done = subprocess.run([argand, "lab", found[1], "--at=" + found[2]], capture_output=True, text=True, check=False) if found else None
    expect(done and done.returncode == 0, f"slides.md: the lab cannot show {link}: {done and done.stderr}")

weights = [int(n) for n in re.findall(r"\| (\d+) \|$", read("project.md"), re.M)]
expect(sum(weights) == 100, f"project.md: the rubric adds up to {sum(weights)}")
for text in failures:
    print(text)
print(f"{len(made)} sheets, {len(slides)} slides, {len(links)} links to the lab, {len(failures)} failures")
sys.exit(1 if failures else 0)
