"""The book as a website: it is built from docs/, every internal link is valid, and a real browser shows it offline and without
errors.

  book_page_test.py SOURCE_DIR LAB_HTML [PICTURES_DIR]

Skipped, with a message, if pandoc, KaTeX or chromium is missing. If LAB_HTML has not been built, the site has no lab, and the lab is
not tested. If ARGAND_AXE in the environment is the path of axe-core's axe.min.js (npm install axe-core), every page is also checked
against its accessibility rules, in a wide light window and a narrow dark one (this takes many minutes). With PICTURES_DIR,
screenshots of every page at 1280 and 390 pixels, light and dark, are saved there.
"""
import base64
import gzip
import html.parser
import os
import re
import shutil
import subprocess
import sys
import tempfile
from urllib.parse import parse_qsl, unquote, urlsplit

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, chromium

source, lab = sys.argv[1:3]
for there, word in ((shutil.which("pandoc"), "pandoc"), (os.path.exists("/usr/share/javascript/katex/katex.min.css") and shutil.which("node"), "katex"),
                    (chromium(), "chromium")):
    if not there:
        print(f"skipped: {word} is not installed (./dev install-deps --all)")
        sys.exit(77)

failures = []
MADE = ("lab.html", "model.html")  # these pages have separate tests


def expect(rule, text):
    if not rule:
        failures.append(text)


class Page(html.parser.HTMLParser):
    """A page's links, loaded files and anchors, and the numbers of its figures, captions and pictures without alternative text."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.places, self.wordless, self.figures, self.captions = [], [], [], 0, 0, 0
        with open(path, encoding="utf8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if "id" in given:
            self.places.append(given["id"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if "src" in given or tag == "link":
            self.loads.append(given.get("src", given.get("href")))
        self.wordless += tag == "img" and not given.get("alt") or tag == "svg" and "role" in given and not given.get("aria-label")
        self.figures += tag == "figure"
        self.captions += tag == "figcaption"


def check_files(site):
    """Checks every link and every loaded file on disk, without a browser. Returns the numbers of pages and of links."""
    pages = {}
    for folder, _, names in os.walk(site):
        for name in names:
            if name.endswith(".html") and name not in MADE:
                pages[os.path.join(folder, name)] = Page(os.path.join(folder, name))
    count = 0
    for path, page in pages.items():
        name = os.path.relpath(path, site)
        expect(not page.wordless, f"{name}: a picture without alternative text")
        twice = {place for place in page.places if page.places.count(place) > 1}
        expect(not twice, f"{name}: duplicate anchors {twice}")
        expect(page.figures == page.captions, f"{name}: a figure without a caption")
        for target in page.links + page.loads:
            parts = urlsplit(target)
            if parts.scheme:
                expect(target not in page.loads or parts.scheme == "data", f"{name}: loads {target}")
                continue
            count += 1
            file = os.path.normpath(os.path.join(os.path.dirname(path), unquote(parts.path))) if parts.path else path
            expect(os.path.isfile(file), f"{name}: the link to {target} is broken")
            if parts.fragment and file in pages:
                expect(unquote(parts.fragment) in pages[file].places, f"{name}: no anchor {target}")
    return len(pages), count


def read_pages(browser, site, pictures):
    """Opens each page of the book in a browser, at two widths."""
    names = sorted(name for name in os.listdir(site) if name.endswith(".html") and name not in MADE)
    for name in names:
        browser.colours("light")
        browser.open("file://" + os.path.join(site, name))
        expect(browser.run("document.querySelectorAll('.katex-error').length") == 0, f"{name}: KaTeX rejects a formula")
        broken = browser.run("[...document.images].filter((i) => (i.loading = 'eager', i.complete && !i.naturalWidth)).length")
        expect(broken == 0, f"{name}: {broken} pictures that do not load")
        expect(browser.run("document.documentElement.scrollWidth") <= 1280, f"{name}: wider than a screen of 1280 pixels")
        if pictures:
            for width in (1280, 390):
                for theme in ("light", "dark"):
                    browser.colours(theme)
                    browser.open("file://" + os.path.join(site, name), width=width, mobile=width == 390)
                    browser.run("Promise.all([document.fonts.ready, ...[...document.images].map((i) => (i.loading = 'eager', i.decode().catch(() => 0)))]).then(() => 0)")
                    browser.picture(os.path.join(pictures, f"{name[:-5]}-{width}-{theme}.png"))
        browser.resize(width=390, height=844, mobile=True)
        width = browser.run("document.documentElement.scrollWidth")
        expect(width <= 390, f"{name}: {width} pixels wide on a phone with 390")
    return names


def use_lab(browser, site):
    """Opens the lab next to the text: it must show the command's expression."""
    browser.colours("light")
    browser.open("file://" + os.path.join(site, "01-wirtinger.html"))
    browser.run("document.querySelector('a.lab').click()")
    expect(not browser.run("document.getElementById('page-beside').hidden"), "the lab does not open beside the text")
    source = browser.run("document.querySelector('#page-beside iframe').src")
    state = dict(parse_qsl(urlsplit(source).fragment))
    expect("lab.html#" in source and state.get("f") and "z" in state, "the lab opens at a wrong address: " + source)
    # The lab next to the text and the lab on a separate page must start in the same state.
    moved = browser.run("""new Promise((done) => { const link = document.getElementById("page-alone"), began = Date.now(), first = link.href;
      const look = () => link.href !== first || Date.now() - began > 20000 ? done(link.href) : setTimeout(look, 50); look(); })""")
    expect("radius=" in moved and "lab.html#" in moved, "the link to the lab's own page does not follow its state: " + moved)
    browser.run("document.getElementById('page-close').click()")
    expect(browser.run("document.getElementById('page-beside').hidden"), "the lab does not close")
    browser.open(source)
    browser.run("""new Promise((done, fail) => { const began = Date.now(), look = () => document.documentElement.dataset.shown ? done(0)
      : Date.now() - began > 60000 ? fail(new Error("no result")) : setTimeout(look, 20); look(); })""")
    held = browser.run("[state.f, state.at.join(',')]")
    expect(held == [state["f"], state["z"]], f"the lab shows {held}, not {state}")


def use_page(browser, site):
    """Tests the light and the dark theme, the entry of the current page in the table of contents, and that table on a phone."""
    for name in ("01-wirtinger.html", "notebooks-thirty-minutes.html"):
        browser.open("file://" + os.path.join(site, name))
        edges = browser.run("[...document.querySelectorAll('#page-contents [aria-current], #page-contents ul ul a')].map((a) => a.getBoundingClientRect()).flatMap((box) => [box.top, box.bottom])")
        expect(len(edges) > 4 and min(edges) > 0 and max(edges) <= 900, f"{name}: its headings in the table of contents lie between {min(edges)} and {max(edges)} of 900 pixels")
    browser.open("file://" + os.path.join(site, "index.html"), width=390, height=844, mobile=True)
    ground = "getComputedStyle(document.body).backgroundColor"
    before = browser.run(ground)
    browser.run("document.getElementById('page-theme').click()")
    expect(browser.run(ground) != before, "the theme button does nothing")
    browser.run("document.getElementById('page-theme').click()")
    expect(browser.run("getComputedStyle(document.getElementById('page-contents')).display") == "none", "the table of contents covers the page on a phone")
    browser.run("document.getElementById('page-menu').click()")
    expect(browser.run("getComputedStyle(document.getElementById('page-contents')).display") == "block", "the table of contents does not open")


def use_keys(browser, site):
    """Elements wider than their container can be scrolled with the keyboard, and only these are tab stops."""
    scrolls = """(() => { const all = [...document.querySelectorAll("pre, .katex-display, .scroll, figure")];
      return [all.filter((one) => one.scrollWidth > one.clientWidth + 1).length, all.filter((one) => (one.scrollWidth > one.clientWidth + 1) !== (one.tabIndex === 0)).length]; })()"""
    for name in ("index.html", "01-wirtinger.html", "slides.html"):
        browser.open("file://" + os.path.join(site, name), width=390, height=844, mobile=True)
        browser.run("new Promise((done) => setTimeout(done, 50))")
        number, wrong = browser.run(scrolls)
        expect(number > 0 and wrong == 0, f"{name}: {number} elements scroll; {wrong} elements should be tab stops and are not, or the reverse")


def ask_axe(browser, site, axe):
    """Checks for violations of WCAG 2.1 AA and of best practices, with answers and guesses open. The pages of the project's files are
    alike, so only every fortieth is checked."""
    with open(axe, encoding="utf8") as file:
        rules = file.read()
    ask = """axe.run(document, { preload: false, runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] })
      .then((all) => all.violations.map((one) => `${one.id}: ${one.nodes[0].target.join(" ")}`))"""
    opened = """for (const one of document.querySelectorAll("details")) one.open = true;
      for (const one of document.querySelectorAll(".live .skip.quiet")) one.click();
      new Promise((done) => setTimeout(done, 300))"""
    pages = sorted(os.path.relpath(os.path.join(folder, name), site) for folder, _, names in os.walk(site) for name in names if name.endswith(".html"))
    files = [name for name in pages if name.startswith("project" + os.sep)]
    for name in sorted(set(pages) - set(files)) + files[::40]:
        for width, theme in ((1280, "light"), (390, "dark")):
            browser.colours(theme)
            browser.open("file://" + os.path.join(site, name), width=width, mobile=width < 600)
            browser.run(opened)
            browser.run(rules + ";0")
            for fault in browser.run(ask):
                failures.append(f"{name}, {width} pixels, {theme}: {fault}")


# Random mixtures of text and unlikely input: every hit contains all words, the first word is marked, and nothing throws.
ODD_QUERIES = r"""(() => {
  let seed = 41;
  const next = (n) => (seed = (seed * 48271) % 2147483647) % n, faults = [];
  const odd = ["", "\0", "\ud800", "<img src=x onerror=1>", "((", "\\", "z̄", "İ", "ﬁ", "Σ", "|z|²", "a".repeat(5000), "\u202e", "%E0%A4", "constructor", "__proto__", "☃"];
  const piece = () => {
    const text = SEARCHED[next(SEARCHED.length)][3], at = next(text.length + 1);
    return next(3) ? text.slice(at, at + 1 + next(12)) : odd[next(odd.length)];
  };
  for (let k = 0; k < 250; ++k) {
    const words = folded(Array.from({ length: 1 + next(3) }, piece).join(next(2) ? " " : "")).split(/\s+/).filter(Boolean);
    try {
      const hits = words.length ? found(words, 12) : [];
      if (hits.length > 12) faults.push(["too many", words]);
      for (const hit of hits) {
        if (!words.every((word) => folded(hit.title + " " + hit.heading + " " + hit.text).includes(word))) faults.push(["not there", words, hit.address]);
        const line = excerpt(hit.text, words[0]), marked = line.querySelector("mark").textContent;
        if (folded(hit.text).includes(words[0]) && folded(marked) !== words[0]) faults.push(["marked", marked, words[0], hit.address]);
        if (line.children.length !== 1) faults.push(["writes into the page", words]);
      }
    } catch (error) {
      faults.push([String(error), words]);
    }
  }
  return faults.slice(0, 5);
})()"""


def use_search(browser, site):
    """Searches find sections regardless of case and accents; the index is loaded only when it is needed."""
    browser.requests.clear()
    browser.open("file://" + os.path.join(site, "index.html"))
    expect(not any("search.js" in url for url in browser.requests), "the search index is loaded before a search")
    find = """((words) => new Promise((done) => { const field = document.getElementById("page-search"), list = document.getElementById("page-found");
      field.focus(); field.value = words; field.dispatchEvent(new Event("input"));
      const began = Date.now(), look = () => list.dataset.words === words.toLowerCase() || Date.now() - began > 10000 ? done([...list.querySelectorAll("a")].map((a) => a.getAttribute("href"))) : setTimeout(look, 20);
      look(); }))"""
    hits = browser.run(find + '("Liouville")')
    expect(any("06-network.html#" in hit for hit in hits), f"the search for Liouville finds {hits}")
    hits = browser.run(find + '("wirtinger afternoon")')
    expect(hits and hits[0].endswith("01-wirtinger.html"), f"the search for a title finds {hits}")
    expect(browser.run(find + '("xyzzy plugh")') == [], "the search for nonsense finds something")
    faults = browser.run(ODD_QUERIES)
    expect(not faults, f"unlikely queries: {faults}")
    weight = sum(os.path.getsize(unquote(urlsplit(url).path)) for url in set(browser.requests) if url.startswith("file://") and "search.js" not in url)
    print(f"the first page and everything it loads: {weight / 1e3:.0f} kB")
    expect(weight < 300e3, f"the first page and everything it loads take {weight} bytes")


def check_weights(site):
    """Checks the compressed size of each page together with everything its live figures load, including the library."""
    packed = lambda path: len(gzip.compress(open(path, "rb").read(), 6))
    for name in sorted(os.listdir(site)):
        if name.endswith(".html"):
            with open(os.path.join(site, name), encoding="utf8") as file:
                text = file.read()
            files = [name, *re.findall(r'src="(live/[^"]*)"', text), *(["lab-module.js"] if "lab-module.js" in text else [])]
            weight = sum(packed(os.path.join(site, file)) for file in files)
            expect(weight < 1.5e6, f"{name} takes {weight / 1e6:.2f} MB compressed")


def check_openings():
    """Every chapter begins with a question and a picture."""
    for name in sorted(os.listdir(os.path.join(source, "docs"))):
        if re.match(r"(0\d|10)-", name):
            with open(os.path.join(source, "docs", name), encoding="utf8") as file:
                opening = file.read().split("![")[0]
            expect("?" in opening, f"{name} does not begin with a question")
            expect(len(opening.split()) <= 300, f"{name}: the first picture comes after {len(opening.split())} words")


def use_print(browser, site):
    """Answers are printed only on request, with their headings."""
    browser.open("file://" + os.path.join(site, "01-wirtinger.html"))
    shown = "[...document.querySelectorAll('details')].map((one) => [one.offsetHeight > 0, one.open, one.querySelector('summary').offsetHeight > 0])"
    browser.call("Emulation.setEmulatedMedia", media="print")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    expect(all(not one[0] for one in browser.run(shown)), "answers are printed without a request")
    browser.run("dispatchEvent(new Event('afterprint')); document.querySelector('#page-print input').checked = true; dispatchEvent(new Event('beforeprint'))")
    expect(all(all(one) for one in browser.run(shown)), "answers or their headings are not printed on request")
    browser.run("dispatchEvent(new Event('afterprint'))")
    expect(not any(one[1] for one in browser.run(shown)), "answers stay open after printing")
    browser.call("Emulation.setEmulatedMedia", media="")


def use_slides(browser, site, lab):
    """Slides fit a projector, follow keys and links, hide their notes until the N key is pressed, and print one per page."""
    browser.colours("light")
    browser.open("file://" + os.path.join(site, "slides.html"), width=1280, height=720)
    key = "((key) => dispatchEvent(new KeyboardEvent('keydown', { key })))"
    number = browser.run("document.querySelectorAll('section').length")
    with open(os.path.join(source, "docs", "teaching", "slides.md"), encoding="utf8") as file:
        expect(number == file.read().count("\n## "), f"{number} slides; slides.md has a different number")
    for slide in range(number):
        seen = browser.run("[...document.querySelectorAll('section')].flatMap((one, k) => (one.offsetHeight ? [k] : []))")
        size = browser.run("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        expect(seen == [slide] and size[0] <= 1280 and size[1] <= 720, f"slide {slide + 1}: shows the sections {seen}, {size} pixels")
        browser.run(key + "('ArrowRight')")
    expect(browser.run("location.hash") == f"#{number}", "the arrow keys do not reach the last slide")
    browser.run("location.hash = '#2'; new Promise((done) => setTimeout(done, 50))")
    expect(browser.run("document.getElementById('slide-place').textContent") == f"2 of {number}", "a link does not lead to its slide")
    notes = "document.querySelector('section.now aside').offsetHeight > 0"
    expect(not browser.run(notes), "notes are shown unrequested")
    browser.run(key + "('n')")
    expect(browser.run(notes), "the N key does not show the notes")
    links = browser.run("[...document.querySelectorAll('a.lab')].map((one) => one.getAttribute('href'))")
    if lab:
        expect(all(dict(parse_qsl(urlsplit(link).fragment)).keys() >= {"f", "z"} for link in links) and sum("exercise=gradient" in link for link in links) == 2,
               f"links to the lab: {links}")
    printed = base64.b64decode(browser.call("Page.printToPDF", preferCSSPageSize=True)["data"])
    pages = len(re.findall(rb"/Type\s*/Page\b", printed))
    expect(pages == number, f"{number} slides print to {pages} pages")


def check_heads(site):
    """Every page has a description, and the files for its icon, link preview and search exist."""
    expect(os.path.exists(os.path.join(site, ".nojekyll")), "no .nojekyll, without which some hosts leave files out")
    for name in ("favicon.svg", "preview.png", "search.js"):
        expect(os.path.getsize(os.path.join(site, name)) > 100, f"no {name}")
    for name in sorted(os.listdir(site)):
        if name.endswith(".html") and name not in MADE:
            with open(os.path.join(site, name), encoding="utf8") as file:
                text = file.read()
            found = re.search(r'<meta name="description" content="([^"]*)">', text)
            expect(found and 0 < len(html.unescape(found[1])) <= 200, f"{name}: wrong description {found and found[1]}")


with tempfile.TemporaryDirectory() as scratch:
    site = os.path.join(scratch, "site")
    kept = os.path.join(scratch, "not-a-site")
    os.mkdir(kept)
    with open(os.path.join(kept, "thesis.txt"), "w", encoding="utf8") as file:
        file.write("years of work")
    refused = subprocess.run([sys.executable, os.path.join(source, "web", "book.py"), kept], capture_output=True, text=True, check=False)
    expect(refused.returncode == 1 and "does not hold a site of the book" in refused.stderr and os.listdir(kept) == ["thesis.txt"], "a folder that is not a site was accepted: " + refused.stderr)
    os.mkdir(site)
    for name in ("katex", "book.css", "book.js"):  # a partly built site is rebuilt
        os.mkdir(os.path.join(site, name))
    done = subprocess.run([sys.executable, os.path.join(source, "web", "book.py"), site, lab], capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout + done.stderr)
        sys.exit(1)
    pages, links = check_files(site)
    check_heads(site)
    check_openings()
    check_weights(site)
    browser = Browser()
    try:
        names = read_pages(browser, site, sys.argv[3] if len(sys.argv) > 3 else None)
        use_page(browser, site)
        use_keys(browser, site)
        if os.environ.get("ARGAND_AXE"):
            ask_axe(browser, site, os.environ["ARGAND_AXE"])
        use_search(browser, site)
        use_print(browser, site)
        use_slides(browser, site, os.path.exists(lab))
        if os.path.exists(lab):
            use_lab(browser, site)
        else:
            print("skipped: the lab, which has not been built (./dev web)")
        outside = [url for url in browser.requests if not url.startswith(("file://" + site, "data:", "blob:", "about:"))]
        expect(not outside, f"the book requests {outside}")
        expect(not browser.console, f"messages on the console: {browser.console[:5]}")
    finally:
        browser.close()
for text in failures[:30]:
    print(text)
print(f"{pages} pages, {links} links within the site; {len(names)} pages read in a browser; {len(failures)} failures")
sys.exit(1 if failures else 0)
