"""argand report in a real browser: every panel of every family is drawn, nothing is fetched from elsewhere, and hostile text stays text.

  report_test.py ARGAND_PROGRAM

Skipped, with a message, if there is no chromium.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser

argand = sys.argv[1]
chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
if chromium is None:
    print("skipped: chromium is not installed (./dev install-deps --all)")
    sys.exit(77)

failures = []
WORDS = "words"  # marks a panel that shows the reason why there is nothing to draw
# Cards that only some families or tasks have; the pages of other runs omit them.
SOME_HAVE = {"perplexity", "accuracy", "class-accuracy", "confusion", "angles", "heads", "offsets", "gains", "windows", "samples", "articles"}
TINY = "--n-layers 2 --d-model 16 --n-heads 2 --d-ff 16 --batch 4 --threads 1 --steps 6 --eval-every 3 --checkpoint-every 2 --warmup 2".split()
LM, CLASSIFIER = {"perplexity", "samples", "valid-bits-per-byte"}, {"accuracy", "class-accuracy", "confusion", "articles"}
ALWAYS = {"facts", "loss", "validation", "lr", "grad-norm", "attention", "gradients", "config"}
# For each run: how it is trained, and which panels have something to show.
RUNS = {
    "transformer": ("lm --family transformer --position learned --length 16", ALWAYS | LM),
    "complexformer": ("lm --family complexformer --length 16 --pcl-weight 0.01", ALWAYS | LM | {"heads", "phases", "auxiliary"}),
    "crope": ("lm --family crope --mode qkv --length 16", ALWAYS | LM | {"gains", "phases"}),
    "crat": ("lm --family crat --length 16 --irw-layers 1 --irw-passages 40 --irw-length 8 --irw-top-k 3",
             ALWAYS | LM | {"offsets", "phases", "windows"}),
    "qic": ("classify --family qic --train-articles 60 --test-articles 20", ALWAYS | CLASSIFIER | {"angles", "phases"}),
}


def expect(rule, text):
    if not rule:
        failures.append(text)


def run(*command, code=0):
    done = subprocess.run([argand, *command], capture_output=True, text=True, check=False)
    if done.returncode != code:
        sys.exit(f"argand {' '.join(command)}: exit code {done.returncode} instead of {code}\n{done.stdout}{done.stderr}")
    return done


class Page(HTMLParser):
    """The elements and text of a page as the browser rendered it."""

    def __init__(self, dom):
        super().__init__()
        self.panels, self.references, self.errors, self.tags, self.tooltips = {}, [], None, [], None
        self.text, self.inside = "", []
        self.feed(dom)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.inside.append(tag) if tag in ("script", "style") else self.tags.append(tag)
        if tag == "html":
            self.errors = attributes.get("data-errors")
        if tag == "body":
            self.tooltips = attributes.get("data-tooltips")
        if "data-panel" in attributes:
            self.panels[attributes["data-panel"]] = attributes.get("data-drawn")
        self.references += [f"{tag} {name}" for name in ("src", "href", "srcset", "action", "data") if name in attributes]

    def handle_endtag(self, tag):
        if self.inside and self.inside[-1] == tag:
            self.inside.pop()

    def handle_data(self, data):
        if not self.inside:
            self.text += data


def open_in_browser(path, fragment="", *options):
    """Returns the page after its scripts have run. Any message on the console is a failure: an error, a refused request, a warning."""
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--window-size=1280,2000",
             "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", "--virtual-time-budget=20000", *options, "--dump-dom",
             f"file://{path}{fragment}"], capture_output=True, text=True, timeout=300, check=False)
    page, name = Page(done.stdout), os.path.basename(path) + fragment
    for line in done.stderr.splitlines():
        expect("CONSOLE" not in line, f"{name}: {line}")
    expect(page.errors == "0", f"{name}: {page.errors} errors in the page")
    expect(not page.references, f"{name}: the page loads something: {page.references}")
    return page


def data_of(path):
    with open(path, encoding="utf8") as file:
        return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', file.read(), re.S).group(1))


def gradients_named(run, ending):
    return next(p for p in run["gradients"]["parameters"] if p["name"].endswith(ending))


def check_file(path):
    with open(path, encoding="utf8") as file:
        text = file.read()
    expect(len(text.encode()) < 5_000_000, f"{path} has {len(text)} bytes")
    expect(not re.search(r"https?://|url\(|@import", text), f"{path} names a host or loads something")
    expect("default-src 'none'" in text, f"{path}: the page's policy lets the browser load things")


def check_panels(page, name, drawn):
    expect(drawn <= set(page.panels), f"{name}: missing panels {drawn - set(page.panels)}")
    for panel, mark in page.panels.items():
        if panel in drawn:
            expect(mark is not None and mark.isdigit() and int(mark) > 0, f"{name}: {panel} shows nothing ({mark})")
        else:
            expect(mark == WORDS, f"{name}: {panel} should say why there is nothing to draw ({mark})")


def a_report_of_each_family_and_of_all(folder):
    runs = []
    for name, (options, drawn) in RUNS.items():
        runs.append(os.path.join(folder, name))
        run("train", *options.split(), *TINY, "--out", runs[-1])
        page_file = runs[-1] + ".html"
        run("report", runs[-1], "--out", page_file)
        check_file(page_file)
        page = open_in_browser(page_file)
        check_panels(page, name, drawn)
        expect(SOME_HAVE & set(page.panels) <= drawn, f"{name}: unexpected cards: {SOME_HAVE & set(page.panels) - drawn}")
    together = os.path.join(folder, "all.html")
    run("report", *runs, "--out", together)
    check_file(together)
    expect([r["label"] for r in data_of(together)["runs"]] == list(RUNS), "labels are not the runs' own names")
    # A page of all runs, which shows the curves of all of them and the details of one.
    for i, (name, (_, drawn)) in enumerate(RUNS.items()):
        shared = {"perplexity", "accuracy", "auxiliary", "valid-bits-per-byte"}
        options = ["--blink-settings=preferredColorScheme=0"] if i % 2 else []  # every other page in the dark colour scheme
        check_panels(open_in_browser(together, f"#run={i}", *options), f"all, {name}", drawn | shared)
    return runs


# Uses every tooltip, button and choice. Errors and suspicious texts are reported on the console.
READER = """
function lookAtEveryTooltip() {
  for (const c of live) {
    if (c.options.events && c.options.events.length === 0) continue;
    c.data.datasets.forEach((set, datasetIndex) => {
      const {length} = c.getDatasetMeta(datasetIndex).data;
      for (const index of length > 0 ? [0, length - 1] : []) {
        c.tooltip.setActiveElements([{datasetIndex, index}], {x: 0, y: 0});
        const lines = [...c.tooltip.title, ...c.tooltip.body.flatMap((item) => item.lines)];
        if (!set.quiet && lines.join('').trim() === '') console.error('an empty tooltip', set.label);
        if (/undefined|NaN|null|object/.test(lines.join(' '))) console.error('an odd tooltip', lines);
        ++document.body.dataset.tooltips;
      }
    });
  }
}
document.body.dataset.tooltips = 0;
lookAtEveryTooltip();
for (const select of document.querySelectorAll('#bar select'))
  for (const option of [...select.options].reverse()) {
    select.value = option.value;
    select.dispatchEvent(new Event('change'));
    lookAtEveryTooltip();
  }
for (const button of document.querySelectorAll('button')) button.click();
for (const button of document.querySelectorAll('#legend button')) button.click();
for (const box of document.querySelectorAll('input')) box.click();
lookAtEveryTooltip();
"""


def a_reader_finds_no_error(path):
    read = path.replace(".html", "-read.html")
    with open(path, encoding="utf8") as file, open(read, "w", encoding="utf8") as out:
        out.write(file.read().replace("</body>", f"<script>{READER}</script></body>"))
    page = open_in_browser(read)
    expect(page.tooltips is not None and int(page.tooltips) > 500, f"{page.tooltips} tooltips")
    expect(all(page.panels.values()), f"panels that were not redrawn: {page.panels}")


def histories_begin_and_end_with_the_run(folder):
    crope = data_of(os.path.join(folder, "crope.html"))["runs"][0]["history"]
    expect(crope["steps"] == [0, 2, 4, 6], f"the history has the steps {crope['steps']}")
    gains = crope["parameters"]["blocks.0.attn.q_norm.weight"]["values"]
    expect(gains[0] == [1.0] * 8 and gains[-1] != gains[0], "the gains must begin at 1 and change")
    expect(sum(crope["phases"]["blocks.1.attn.v.weight"]["last"]) == 64, "8 x 8 complex weights must have 64 phases")
    heads = data_of(os.path.join(folder, "complexformer.html"))["runs"][0]["history"]["parameters"]
    expect(heads["blocks.1.attn.phase_bias"]["values"][0] == [0.0] * 8, "b must begin at 0")
    crat = data_of(os.path.join(folder, "crat.html"))["runs"][0]
    expect(crat["text"]["windows"][0]["layer"] == 1 and len(crat["text"]["windows"][0]["chosen"][0]) == 3, "the page must show three passages of the window")
    for weights in crat["text"]["windows"][0]["weights"]:
        expect(abs(sum(weights) - 1) < 1e-3, f"weights of passages add up to {sum(weights)}")
    qic = data_of(os.path.join(folder, "qic.html"))["runs"][0]
    expect(len(qic["angles"]["names"]) == 1 + 2 + 4, f"angles {qic['angles']['names']}")
    expect(sum(map(sum, qic["confusion"]["counts"])) == 20, "the confusion matrix must count 20 test articles")
    for name, run in [("qic", qic), ("crat", crat)]:
        gradients = {p["name"]: p for p in run["gradients"]["parameters"]}
        expect(any(p["rms"] > 0 and p["largest"] >= p["rms"] for p in gradients.values()), f"{name}: all gradients are 0")
        for p in gradients.values():
            expect("phases" not in p or sum(p["phases"]) == p["size"] - p["zeros"], f"{name}: phases of {p}")
    expect("phases" in gradients_named(qic, "attn.q.weight") and "phases" not in gradients_named(qic, "theta"), "qic: exactly the complex gradients must have phases")
    T = len(qic["text"]["words"])
    for row in range(T):
        share = sum(qic["text"]["attention"][0][0][row * T:(row + 1) * T])
        expect(abs(share - 1000) <= T / 2, f"a row of attention adds up to {share} thousandths")


def runs_that_were_killed(folder, run_of):
    """A log with a half-written last line, a line that is not JSON, and values that are not numbers."""
    path = os.path.join(folder, "killed")
    shutil.copytree(run_of, path)
    log = os.path.join(path, "log.jsonl")
    with open(log, "a", encoding="utf8") as file:
        file.write('{"step":7,"loss":null,"grad_norm":null,"lr":1e-5,"seconds":0.1,"tokens_per_second":640.0}\n'
                   '{"step":7,"valid_loss":null,"valid_ppl":null,"best":false}\nnot json\n{"step":8,"loss":NaN}\n{"step":8,"lo')
    run("report", path, "--out", path + ".html")
    data = data_of(path + ".html")["runs"][0]
    expect(data["step"] == 7, f"the log ends at step 7, the page at {data['step']}")
    expect(data["unreadable"] == 2, f"{data['unreadable']} unreadable lines")
    expect(data["curves"]["loss"]["y"][-1] is None and len(data["curves"]["loss"]["y"]) == 7, "a loss that is not a number must be a gap")
    page = open_in_browser(path + ".html")
    check_panels(page, "killed", RUNS["transformer"][1])
    expect("values are not finite" in page.text, "the page must mention the gaps")
    os.remove(log)
    run("report", path, "--out", path + ".html")
    page = open_in_browser(path + ".html")
    check_panels(page, "without a log", RUNS["transformer"][1] - {"loss", "validation", "perplexity", "valid-bits-per-byte", "lr", "grad-norm"})


def forget_checksums(path):
    """Turns a checkpoint into one without checksums, as older versions wrote them, which accepts any vocabulary."""
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header, data = json.loads(file.read(size)), file.read()
    for key in ("checksum", "checksum_algorithm", "data", "vocab.txt", "classes.txt"):
        header["__metadata__"].pop(key, None)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + data)


def hostile_text(folder, run_of):
    """Words, a folder and labels that would become HTML if they were not escaped."""
    path = os.path.join(folder, "a<img src=x onerror=alert(1)>&amp;")
    shutil.copytree(run_of, path)
    word, label = "</script><b>", '"><i>x'
    with open(os.path.join(path, "vocab.txt"), encoding="utf8") as file:
        words = file.read().split("\n")
    words[5] = word
    with open(os.path.join(path, "vocab.txt"), "w", encoding="utf8") as file:
        file.write("\n".join(words))
    with open(os.path.join(path, "classes.txt"), encoding="utf8") as file:
        labels = file.read().split("\n")
    labels[1] = label
    with open(os.path.join(path, "classes.txt"), "w", encoding="utf8") as file:
        file.write("\n".join(labels))
    for name in ("best", "last"):
        forget_checksums(os.path.join(path, name + ".safetensors"))
    out = os.path.join(folder, "hostile.html")
    done = run("report", path, "--out", out, "--text", f"{words[4]} {word} {words[6]} <!-- <script> {word}", code=1)
    expect(": no articles: the classes in topics do not match those of the run\n" in done.stderr.replace("report: the", "the"),
           f"wrong message about a missing card: {done.stderr!r}")
    expect(data_of(out)["runs"][0]["text"]["words"][1] == word, "the word in the page has changed")
    with open(out, encoding="utf8") as file:
        expect("<b>" not in file.read(), "a word became markup")
    page = open_in_browser(out)
    check_panels(page, "hostile", RUNS["qic"][1] - {"articles"})  # the run's classes no longer match the data
    expect("i" in page.tags and "img" not in page.tags and "b" in page.tags, "the page must have exactly its own elements")
    expect(os.path.basename(path) in page.text, "the page must show the folder's name unchanged")


def mistakes(folder, run_of):
    out = os.path.join(folder, "none.html")
    empty = os.path.join(folder, "empty")
    os.mkdir(empty)
    for arguments, code, message in (
            ([empty], 1, f"argand: report: {empty} contains no argand run\n"),
            ([folder + "/gone"], 1, f"argand: report: {folder}/gone does not exist\n"),
            ([run_of + "/log.jsonl"], 1,
             f"argand: report: {run_of}/log.jsonl is a file; give the run's folder\n"),
            ([run_of, run_of + "/"], 2, f"argand: RUN: {run_of}/ is given twice\n")):
        done = run("report", *arguments, "--out", out, code=code)
        expect(done.stderr == message, f"report {arguments}: {done.stderr}")
    expect(not os.path.exists(out), "a page was written in spite of an error")
    done = run("report", run_of, "--out", out, "--text", "zzz-no-such-word", code=1)
    expect(done.stderr.count("\n") == 2 and f"{os.path.basename(run_of)}: no samples: " in done.stderr, f"wrong message about missing cards: {done.stderr!r}")
    data = data_of(out)["runs"][0]
    expect("zzz-no-such-word" in data["text"]["none"] and data["samples"]["none"] == data["text"]["none"], f"the page does not explain the missing cards: {data['text']}")
    check_panels(open_in_browser(out), "unknown words", RUNS["transformer"][1] - {"attention", "gradients", "samples"})


with tempfile.TemporaryDirectory() as scratch:
    runs = a_report_of_each_family_and_of_all(scratch)
    a_reader_finds_no_error(os.path.join(scratch, "all.html"))
    histories_begin_and_end_with_the_run(scratch)
    runs_that_were_killed(scratch, runs[0])
    hostile_text(scratch, runs[-1])
    mistakes(scratch, runs[0])
for failure in failures:
    print(failure)
print("all panels of all families were drawn" if not failures else f"{len(failures)} failures")
sys.exit(1 if failures else 0)
