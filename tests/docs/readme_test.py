"""Checks README.md, CONTRIBUTING.md and the pages they link to: their code is taken from the project, their output is real, and
every file they name exists.

  readme_test.py SOURCE_DIR FIRST_GRADIENT_PROGRAM ARGAND_PROGRAM
"""
import os
import re
import subprocess
import sys

source, first_gradient, argand = sys.argv[1:]
failures = []


def expect(rule, text):
    if not rule:
        failures.append(text)


def read(path):
    with open(os.path.join(source, path), encoding="utf8") as file:
        return file.read()


def blocks(text, language):
    return [code for word, code in re.findall(r"^ *```(\w*)\n(.*?)^ *```$", text, re.M | re.S) if word == language]


def plain(code):
    """The code with white space collapsed, because blocks inside lists are indented."""
    return re.sub(r"\s+", " ", code).strip()


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


library, extending = read("docs/guides/library.md"), read("docs/guides/extending.md")

# The first example and its output.
example = read("examples/02_first_gradient.cpp")
expect(plain(blocks(library, "cpp")[0]) in plain(example), "docs/guides/library.md: the first C++ block is not in examples/02_first_gradient.cpp")
expect(output(first_gradient).stdout in blocks(library, ""), "docs/guides/library.md: no block is the output of examples/02_first_gradient.cpp")

# The patterns for an op, a layer and a family are taken from real files.
patterns = ["autograd/ops/elementwise/exponential.cpp", "autograd/ops/elementwise/exponential.h", "autograd/call/functions/elementwise.cpp", "tests/nn/layers_test.cpp",
            "autograd/ops/elementwise/rotation.cpp", "tests/apps/toy_family.cpp"]
real = plain(" ".join(map(read, patterns)))
for block in blocks(extending, "cpp"):
    code = plain(re.sub(r"  // .*", "", block))
    expect(code in real, f"docs/guides/extending.md: not in the source files: {code[:70]}...")

# Every file that is named in `code` or in a link exists.
for name, text in (("README.md", read("README.md")), ("CONTRIBUTING.md", read("CONTRIBUTING.md")), ("docs/guides/extending.md", extending),
                   ("docs/guides/layout.md", read("docs/guides/layout.md")), ("docs/guides/tour.md", read("docs/guides/tour.md")),
                   ("docs/guides/library.md", library),
                   ("docs/guides/requirements.md", read("docs/guides/requirements.md")), ("docs/guides/coverage.md", read("docs/guides/coverage.md")),
                   ("docs/guides/results-tables.md", read("docs/guides/results-tables.md")), ("bench/pytorch/README.md", read("bench/pytorch/README.md")),
                   ("examples/README.md", read("examples/README.md"))):
    prose = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.M | re.S)
    links = [os.path.join(os.path.dirname(name), path) for path in re.findall(r"\[[^\]]*\]\(([^):#]+)(?:#[^)]*)?\)", prose)]
    for path in links + re.findall(r"`((?:core|autograd|nn|optim|data|apps|tests|bench|examples)/[^` *]*)`", prose):
        if not re.search(r"NAME|KIND|GROUP|ROOM|SUBJECT", path):
            expect(os.path.exists(os.path.join(source, path)), f"{name}: {path} does not exist")
    for command in re.findall(r"(?:^|`)argand ([a-z]+(?: (?:lm|classify))?)\b", text, re.M):
        expect(output(argand, *command.split(), "--help").returncode == 0, f"{name}: there is no `argand {command}`")
    for command in re.findall(r"^\./dev ([a-z-]+)", text, re.M):
        expect(re.search(rf"^  {command}\)", read("dev"), re.M), f"{name}: there is no `./dev {command}`")

for text in failures:
    print(text)
sys.exit(1 if failures else 0)
