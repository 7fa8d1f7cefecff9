"""argand demo: writes a page of both runs, and refuses a folder that cannot hold the page before computing anything.

  demo_test.py ARGAND_PROGRAM
"""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "web"))
from browser import Browser, chromium  # noqa: E402

argand = os.path.abspath(sys.argv[1])
failures = []
LABELS = ["ComplexFormer", "Transformer, RoPE"]


def expect(rule, text):
    if not rule:
        failures.append(text)


def demo(*options, user=None):
    return subprocess.run([argand, "demo", "--steps", "4", *options], capture_output=True, text=True, check=False,
                          user=user, env={**os.environ, "OMP_NUM_THREADS": "1"})


def the_page_holds_both_runs(folder):
    done = demo("--out", folder)
    if done.returncode != 0:
        sys.exit(f"argand demo: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    page = os.path.join(folder, "demo.html")
    expect(done.stdout.endswith(f":\n{page}\n"), f"the last line should be {page}: {done.stdout[-200:]!r}")
    with open(page, encoding="utf8") as file:
        text = file.read()
    expect(not re.search(r"https?://|url\(|@import", text), "the page names a host or loads something")
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))
    runs, best = data["runs"], data["best_possible"]
    expect([run["label"] for run in runs] == LABELS, f"runs {[run['label'] for run in runs]}")
    expect(abs(best["loss"] - 1.952) < 0.001, f"the grammar's entropy is 1.952, not {best['loss']}")
    expect(f" {best['valid_loss']:.4f} " in done.stdout, f"the printed table lacks the page's bound {best['valid_loss']}")
    for run in runs:
        expect(run["curves"]["valid_loss"]["y"][-1] > best["valid_loss"], f"{run['label']} has a lower loss than the best possible")
        expect(len(run["curves"]["loss"]["y"]) == 4, f"{run['label']}: expected a loss for each of 4 steps, got {run['curves']['loss']}")
        expect(len(run["writing"]["beginning"].split()) == 61, f"expected 60 words and an ellipsis, got {run['writing']['beginning']!r}")
        for part in run["writing"].values():
            expect(part + "\n" in done.stdout, f"{run['label']}: not printed: {part!r}")
    expect(runs[0]["writing"] != runs[1]["writing"], "both models write the same text")
    return page


def a_browser_draws_it(page):
    if chromium() is None:
        print("skipped: opening the page, because chromium is not installed (./dev install-deps --all)")
        return
    browser = Browser()
    for width, theme in ((1280, "light"), (390, "dark")):
        browser.colours(theme)
        browser.open(f"file://{page}", width, 900, mobile=width < 500)
        expect(browser.run("document.documentElement.dataset.errors") == "0", f"errors: {browser.console}")
        drawn = browser.run("Object.fromEntries([...document.querySelectorAll('[data-panel]')].map((p) => [p.dataset.panel, p.dataset.drawn]))")
        for panel in ("facts", "loss", "validation", "perplexity", "writing-0", "writing-1", "heads", "phases", "attention", "samples"):
            expect(drawn.get(panel, "words") != "words", f"{width} pixels: {panel} shows {drawn.get(panel)}")
        for panel in ("loss", "validation", "perplexity"):
            lines = browser.run(f"live.find((c) => c.canvas.closest('[data-panel={panel}]')).data.datasets.map((set) => set.label)")
            expect(lines.count("the best possible") == 1 and set(LABELS) < set(lines), f"{panel}: curves {lines}")
        wide = browser.run("document.documentElement.scrollWidth")
        expect(wide <= width, f"the page is {wide} pixels wide on a screen of {width}")
    expect(not browser.console and all(url.startswith(("file:", "about:")) for url in browser.requests), f"{browser.console} {browser.requests}")
    browser.close()


def refused(folder, message, *options, user=None):
    """Expects exit code 2 with this message, and no output before it."""
    done = demo("--out", folder, *options, user=user)
    expect((done.returncode, done.stdout, done.stderr) == (2, "", f"argand: --out: {message}\n"),
           f"{folder}: {done.returncode} {done.stdout!r} {done.stderr!r}, not {message!r}")


def folders_that_cannot_hold_it(scratch, page):
    file = os.path.join(scratch, "file")
    open(file, "w", encoding="utf8").close()
    refused(f"{file}/demo", f"cannot create the folder {file}/demo: Not a directory")

    taken = os.path.join(scratch, "taken")
    os.makedirs(os.path.join(taken, "demo.html"))
    refused(taken, f"cannot write the page {taken}/demo.html: it is a folder", "--overwrite")

    mine = os.path.join(scratch, "mine")
    os.mkdir(mine)
    with open(os.path.join(mine, "demo.html"), "w", encoding="utf8") as other:
        other.write("mine")
    refused(mine, f"{mine}/demo.html exists; add --overwrite to replace it")
    with open(os.path.join(mine, "demo.html"), encoding="utf8") as other:
        expect(other.read() == "mine", "a file that the demo did not write was replaced")

    with open(page, encoding="utf8") as before:
        text = before.read()
    done = demo("--out", os.path.dirname(page))
    expect(done.returncode == 1 and "already contains a run" in done.stderr and done.stdout == "", f"a second demo: {done}")
    with open(page, encoding="utf8") as after:
        expect(after.read() == text, "a second demo replaced the page")

    locked = os.path.join(scratch, "locked")
    os.mkdir(locked, 0o555)
    nobody = None
    if os.geteuid() == 0:  # root may write everywhere
        nobody = 65534
        os.chmod(scratch, 0o755)
        try:
            subprocess.run([argand, "--version"], user=nobody, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            print("skipped: the folder without write permission, because only root may run argand here")
            return
    refused(locked, f"cannot write into {locked}: Permission denied", user=nobody)


with tempfile.TemporaryDirectory() as scratch:
    page = the_page_holds_both_runs(os.path.join(scratch, "a<b>&"))
    a_browser_draws_it(page)
    folders_that_cannot_hold_it(scratch, page)
for failure in failures:
    print(failure)
print("the demo's page shows both runs" if not failures else f"{len(failures)} failures")
sys.exit(1 if failures else 0)
