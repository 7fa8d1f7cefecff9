"""Chapters 1 to 6 and two lessons as notebooks for Jupyter.

  make_notebooks.py OUTPUT_DIR [--solved]

A chapter's text is its Markdown in docs/NAME.md. Its code is NAME.py beside this file, divided into cells by lines of the form

  # %% start            at the top, below the title
  # %% after LINE       after the section with that heading, or after the block that contains that line
  # %% prints LINE      in place of the block that contains that line; the cell must print that block, which the tests check

A lesson is a file NAME.md beside this one. Its python blocks are the cells. `<!-- exercise: NAME -->` above a block marks a cell that the reader
has to complete; --solved replaces it with the code below `# %% NAME` in NAME-solutions.py.
"""
import base64
import json
import mimetypes
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DOCS = os.path.dirname(HERE)
CHAPTERS = ("01-wirtinger", "02-conventions", "03-tape", "04-numerical-validation", "05-optimizers", "06-network")
LESSONS = ("thirty-minutes", "homework")
ABOUT = ("*A notebook of argand's book. It needs argand and NumPy: `pip install` argand's wheel, in a hosted notebook `%pip install` it in a cell. "
         "Where the chapter has C++, the cells below have the same in Python.*")


class Source:
    """A notebook that is being built."""

    def __init__(self, name, folder):
        self.name, self.folder, self.cells, self.text, self.attachments = name, folder, [], [], {}

    def add_text(self, lines):
        self.text += lines

    def add_code(self, lines, tags=()):
        self.end_text()
        self.cells.append({"cell_type": "code", "id": f"cell-{len(self.cells)}", "metadata": {"tags": list(tags)} if tags else {},
                           "execution_count": None, "outputs": [], "source": "\n".join(lines).strip("\n")})

    def end_text(self):
        text = markdown("\n".join(self.text), self)
        if text:
            cell = {"cell_type": "markdown", "id": f"cell-{len(self.cells)}", "metadata": {}, "source": text}
            if self.attachments:
                cell["attachments"] = self.attachments
            self.cells.append(cell)
        self.text, self.attachments = [], {}

    def notebook(self):
        self.end_text()
        return {"cells": self.cells, "nbformat": 4, "nbformat_minor": 5,
                "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                             "language_info": {"name": "python"}}}


def read(*path):
    with open(os.path.join(*path), encoding="utf8") as file:
        return file.read()


def markdown(text, source):
    """Converts a piece of a chapter to Jupyter's Markdown: formulas in dollars, pictures attached, links only to what travels along."""
    text = re.sub(r"^<!--.*?-->\n?", "", text, flags=re.M)
    text = re.sub(r"^```math\n(.*?)\n```$", r"$$\n\1\n$$", text, flags=re.M | re.S)
    text = re.sub(r"\$`(.*?)`\$", r"$\1$", text)

    def picture(match):
        name = match[2].replace("/", "-")
        with open(os.path.join(source.folder, match[2]), "rb") as file:
            source.attachments[name] = {mimetypes.guess_type(name)[0]: base64.b64encode(file.read()).decode()}
        return f"![{match[1]}](attachment:{name})"

    def link(match):
        """Links to chapters lead to their notebooks. Notebooks are read without the project, so other files are named but not linked."""
        path, _, anchor = match[2].partition("#")
        name = os.path.basename(path)[:-3] if path.endswith(".md") else ""
        if re.match("https?:", match[2]) or name in CHAPTERS + LESSONS:
            return f"[{match[1]}]({name + '.ipynb' if name else match[2]})"
        return match[1]

    text = re.sub(r"!\[([^\]]*)\]\(([^)\s]+)\)", picture, text)
    parts = re.split(r"(^```.*?^```$|(?<!`)`[^`\n]+`(?!`))", text, flags=re.M | re.S)  # links inside code are left alone
    text = "".join(part if part.startswith("`") else re.sub(r"(?<!!)\[([^\]]*)\]\(((?!attachment:)[^)\s]+)\)", link, part) for part in parts)
    # The split above tears apart links whose text is code; convert those now.
    text = re.sub(r"(?<!!)\[(`[^`\n]+`)\]\(((?!attachment:)[^)\s]+)\)", link, text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def cells_of(name):
    """[marker, lines] for each cell of a file of cells."""
    cells = []
    for line in read(HERE, name).split("\n"):
        if line.startswith("# %% "):
            cells.append((line[5:], []))
        elif cells:
            cells[-1][1].append(line)
    return cells


def blocks(text):
    """("text" or a block's language, lines) for each piece of Markdown, without fences; each heading begins a new piece."""
    pieces, language = [("text", [])], None
    for line in text.split("\n"):
        mark = re.match(r"```(.*)$", line)
        if mark and language is None:
            language = mark[1]
            pieces.append((language, []))
        elif mark:
            language = None
            pieces.append(("text", []))
        else:
            if language is None and line.startswith("#"):
                pieces.append(("text", []))
            pieces[-1][1].append(line)
    return pieces


def chapter(name):
    source, pieces = Source(name, DOCS), blocks(read(DOCS, name + ".md"))
    placed = {}  # index of a piece -> the cells that follow it
    for marker, lines in cells_of(name + ".py"):
        word, _, where = marker.partition(" ")
        if word == "start":
            at = next(k for k, (_, inside) in enumerate(pieces) if inside and inside[0].startswith("# "))
        else:
            found = [k for k, (_, inside) in enumerate(pieces) if where in inside]
            if word not in ("after", "prints") or len(found) != 1:
                sys.exit(f"notebooks: {name}.py: '# %% {marker}': expected `after` or `prints` and a line that occurs once in the chapter; this one occurs {len(found)} times")
            at = found[0]
            if where.startswith("#"):  # insert at the end of the section
                at = next((k for k in range(at + 1, len(pieces)) if any(line.startswith("#") for line in pieces[k][1])
                           and pieces[k][0] == "text"), len(pieces)) - 1
        placed.setdefault(at, []).append((word, lines))
    for k, (language, lines) in enumerate(pieces):
        cells = placed.get(k, [])
        if cells and cells[0][0] == "start":
            source.add_text([lines[0], "", ABOUT])
            source.add_code(cells.pop(0)[1])
            source.add_text(lines[1:])
        elif language == "text":
            source.add_text(lines)
        elif not any(word == "prints" for word, _ in cells):
            source.add_text([f"```{language}", *lines, "```"])
        for word, code in cells:
            source.add_code(code, [word])
    return source.notebook()


def lesson(name, solved):
    source = Source(name, HERE)
    solutions = dict(cells_of(name + "-solutions.py")) if solved and os.path.exists(os.path.join(HERE, name + "-solutions.py")) else {}
    exercise = ""
    for language, lines in blocks(read(HERE, name + ".md")):
        if language == "python":
            source.add_code(solutions.get(exercise, lines), [f"exercise-{exercise}"] if exercise else [])
            exercise = ""
            continue
        found = re.findall(r"<!-- exercise: (\w+) -->", "\n".join(lines))
        exercise = found[-1] if found else ""
        source.add_text(lines if language == "text" else [f"```{language}", *lines, "```"])
    return source.notebook()


def notebooks(solved=False):
    """All notebooks, by name."""
    return {**{name: chapter(name) for name in CHAPTERS}, **{name: lesson(name, solved) for name in LESSONS}}


def write(folder, solved=False):
    os.makedirs(folder, exist_ok=True)
    made = notebooks(solved)
    for name, content in made.items():
        with open(os.path.join(folder, name + ".ipynb"), "w", encoding="utf8") as file:
            json.dump(content, file, ensure_ascii=False, indent=1)
    return made


if __name__ == "__main__":
    arguments = [word for word in sys.argv[1:] if word != "--solved"]
    if len(arguments) != 1:
        sys.exit(__doc__.strip())
    print(f"{arguments[0]}: {', '.join(name + '.ipynb' for name in write(arguments[0], '--solved' in sys.argv))}")
