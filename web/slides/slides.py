"""The slides in docs/teaching/slides.md as a page of the site: each heading begins a slide, <details> hold the speaker's notes."""
import html
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def slides_of(body):
    """Splits the HTML of the whole text into slides."""
    parts = re.split(r"(?=<h2\b)", body)[1:]
    parts = [re.sub(r"<details>\s*<summary>.*?</summary>(.*?)</details>", r"<aside>\1</aside>", part, flags=re.S) for part in parts]
    return [re.sub(r"<(/?)h2\b", r"<\1h1", parts[0]), *parts[1:]]  # the first heading is the title of the page


def write_slides(out, title, body):
    with open(os.path.join(HERE, "slides.html"), encoding="utf8") as file:
        template = file.read()
    slides = slides_of(body)
    parts = {"@title@": html.escape(title), "@slides@": "\n".join(f"<section>\n{slide}</section>" for slide in slides),
             "@description@": f"{len(slides)} slides: {html.escape(title.lower())}, for a ninety-minute lecture."}
    with open(os.path.join(out, "slides.html"), "w", encoding="utf8") as file:
        file.write(re.sub("|".join(parts), lambda m: parts[m[0]], template))
    for name in ("slides.css", "slides.js"):
        shutil.copyfile(os.path.join(HERE, name), os.path.join(out, name))


def print_slides(out):
    """Prints slides.pdf next to slides.html, one page per slide."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not program:
        sys.exit("book: --pdf needs chromium (./dev install-deps --all)")
    made = os.path.join(out, "slides.pdf")
    done = subprocess.run([program, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", "--print-to-pdf=" + made,
                           "file://" + os.path.join(out, "slides.html")], capture_output=True, text=True, check=False)
    if done.returncode or not os.path.exists(made):
        sys.exit("book: chromium printed no slides\n" + done.stderr[-2000:])
    return made
