"""Makes the problem sheets for students, sheet-N.md, from the teacher's, sheet-N-teacher.md, by removing the answers.

  python3 docs/teaching/sheets.py
"""
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))


def without_answers(text):
    """The text without its <details> blocks, which hold the answers, and without the note in the title that marks the teacher's copy."""
    text = re.sub(r"<details>.*?</details>\n\n?", "", text, flags=re.S)
    return text.replace(": the teacher's copy\n", "\n", 1).rstrip("\n") + "\n"


def sheets():
    """(path, text) of each student's sheet."""
    for name in sorted(os.listdir(HERE)):
        if re.fullmatch(r"sheet-\d+-teacher\.md", name):
            with open(os.path.join(HERE, name), encoding="utf8") as file:
                yield os.path.join(HERE, name.replace("-teacher", "")), without_answers(file.read())


if __name__ == "__main__":
    for path, text in sheets():
        with open(path, "w", encoding="utf8") as file:
            file.write(text)
