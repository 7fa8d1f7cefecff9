"""Text passed to another program is never interpreted as a command, a tag or the end of a string. Output that cannot be written is an error.

  hostile_text_test.py ARGAND_PROGRAM
"""
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from html.parser import HTMLParser

argand = os.path.abspath(sys.argv[1])
failures = []
TINY = "--n-layers 1 --d-model 8 --n-heads 2 --d-ff 8 --length 8 --batch 2 --warmup 1 --threads 1 --steps 2".split()

# Each text contains a marker by which the test finds it in the output.
HOSTILE = ["a\nshell\nb-mark", "a\r\nshell\rb-mark", "a\x0bshell\x0cb-mark", "'; shell; '-mark", "\" label=\"x\" \"-mark", "ends in \\",
           "<script>alert(1)</script>-mark", "</script><!--<script>-mark", "]]>&amp;&lt;-mark", "`touch ran`-mark", "@touch $(touch ran)-mark",
           "\\N \\G \\l-mark", "a\x01\x1b[31m\x7f-mark", "\u2028\u2029\u0085-mark", b"\xff\xfe bad \xc0\xaf-mark"]


def expect(rule, text):
    if not rule:
        failures.append(text)


def run(*arguments, **more):
    return subprocess.run([argand, *arguments], capture_output=True, check=False, timeout=100, **more)


def one_line(done, what):
    expect(done.stderr.count(b"\n") <= 1 or done.stderr.startswith(b"argand: expression: "), f"{what}: says {done.stderr!r}")


def drawn(path, what):
    """Parses an SVG with a strict parser and returns its text."""
    try:
        return "".join(xml.etree.ElementTree.parse(path).getroot().itertext())
    except (OSError, xml.etree.ElementTree.ParseError) as error:
        failures.append(f"{what}: {error}")
        return ""


def commands_in_expressions():
    """gnuplot's `shell` command starts $SHELL: if it read one of our lines as a command, the file `ran` would exist afterwards."""
    with open("spy", "w", encoding="utf8") as file:
        file.write(f"#!/bin/sh\ntouch {os.path.abspath('ran')}\n")
    os.chmod("spy", 0o755)
    environment = dict(os.environ, SHELL=os.path.abspath("spy"))
    # An expression may contain any kind of white space, even before a word such as `shell`: these expressions parse.
    for text in ("z\n+ z", "z *\nz", "f(z) = z\r\n\r\n+ 1", "shell(z) = z\n+\n1", "f(shell) =\nshell\n", "f(z)\n=\n\x0bz\x0c+\t1"):
        done = run("portrait", text, "--size", "600x250", "--out", "p.svg", env=environment)
        expect(done.returncode == 0, f"portrait {text!r}: {done.stderr}")
        drawn("p.svg", f"portrait {text!r}")
    for text in HOSTILE:  # these do not parse
        done = run("portrait", text, "--out", "p.svg", env=environment)
        expect(done.returncode == 2 and done.stdout == b"", f"portrait {text!r}: {done.returncode}")
        one_line(done, f"portrait {text!r}")
        expect(not set(done.stderr) & set(b"\x00\x01\x0b\x0c\x1b\x7f\r"), f"portrait {text!r}: control characters reach the terminal")
    expect(not os.path.exists("ran"), "an expression was run as a command")


def titles_of_graphs():
    have_dot = shutil.which("dot") is not None
    for number, text in enumerate(HOSTILE):
        folder = text if isinstance(text, bytes) else text.encode()
        folder = folder.replace(b"/", b"|")
        done = run("train", "lm", "--out", folder, *TINY)
        expect(done.returncode == 0, f"training in a folder named {folder!r}: {done.stderr}")
        titled = [["graph", "--run", folder]]
        if isinstance(text, str):  # settings must be UTF-8
            titled.append(["graph", "--model", "crat", "--set", b"irw_file=" + folder])
        for command in titled:
            done = run(*command)
            expect(done.returncode == 0, f"{command}: {done.stderr}")
            title = done.stdout.split(b"\n")[1]
            expect(title.startswith(b'  graph [label="') and (b"ends in" in title or b"mark" in title), f"{command}: its title is {title!r}")
            expect(not set(done.stdout) & set(b"\x01\x0b\x0c\r\x1b\x7f"), f"{command}: control characters")
            done.stdout.decode("utf8")
            if have_dot:
                done = run(*command, "--depth", "0", "--out", "g.svg")
                expect(done.returncode == 0 and done.stderr == b"", f"{command} drawn: {done.stderr}")
                shown = drawn("g.svg", f"{command}")
                expect("ends in" in shown or "mark" in shown, f"{command}: its title is not drawn")
        report(folder, number)


class Scripts(HTMLParser):
    """The parts of a page that a browser would execute."""

    def __init__(self):
        super().__init__()
        self.kinds = []

    def handle_starttag(self, tag, attrs):
        if tag in ("script", "img", "iframe", "object", "embed"):
            self.kinds.append((tag, dict(attrs).get("type")))


def report(folder, number):
    text = HOSTILE[number] if isinstance(HOSTILE[number], str) else "plain"
    done = run("report", folder, "--out", "page.html", "--text", text)
    # The run's vocabulary lacks the words of `text`: two cards of the page and two lines of standard error say so.
    expect(done.returncode == 1 and done.stderr.count(b"\n") == done.stderr.count(b"argand: report: ") == 2, f"report {folder!r}: {done.stderr}")
    with open("page.html", encoding="utf8") as file:
        page = file.read()
    scripts = Scripts()
    scripts.feed(page)
    global ordinary
    ordinary = ordinary or scripts.kinds
    expect(scripts.kinds == ordinary, f"report {folder!r}: the page has other elements: {scripts.kinds}")


def full_disk():
    if not os.path.exists("/dev/full"):
        print("skipped: writing to a full disk, because there is no /dev/full")
        return
    assert run("train", "lm", "--out", "run", *TINY).returncode == 0
    run("train", "classify", "--out", "classes", "--train-articles", "20", "--test-articles", "10", "--max-seq-len", "8", *TINY[:8], *TINY[10:])
    commands = [["--version"], ["--help"], ["train", "--help"], ["lab", "z^2"], ["lab", "z^2", "--at", "1+2i"], ["graph", "z^2"],
                ["graph", "--model", "transformer"], ["gradcheck", "exp"], ["explain"], ["explain", "exp"], ["explain", "--markdown"],
                ["inspect", "run"], ["eval", "run"], ["generate", "run", "--prompt", "mary", "--tokens", "3"],
                ["generate", "run", "--prompt", "mary", "--tokens", "3", "--json"], ["classify", "classes", "--table", "table.csv"],
                ["report", "run", "--out", "r.html"], ["export", "run", "--npz", "r.npz"], ["portrait", "--help"],
                ["train", "lm", "--out", "full", *TINY], ["eval", "classes"]]
    with open("table.csv", "w", encoding="utf8") as table:
        table.write("id,text\n1,some words\n2,others\n")
    for command in commands:
        plain = run(*command)
        expect(plain.returncode == 0, f"{command}: {plain.stderr}")
        with open("/dev/full", "w", encoding="utf8") as full:
            done = subprocess.run([argand, *(w.replace("full", "full2") for w in command)], stdout=full, stderr=subprocess.PIPE, check=False)
        expect(done.returncode == 1, f"{command} into a full disk: {done.returncode}")
        expect(done.stderr.startswith(b"argand: cannot write to standard output: ") and done.stderr.count(b"\n") == 1,
               f"{command} into a full disk: {done.stderr!r}")


ordinary = None
with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    if shutil.which("gnuplot"):
        commands_in_expressions()
    else:
        print("skipped: portraits, because gnuplot is not installed")
    titles_of_graphs()
    full_disk()
    expect(not os.path.exists("ran"), "a text was run as a command")

for failure in failures[:20]:
    print(failure)
sys.exit(f"{len(failures)} failures" if failures else 0)
