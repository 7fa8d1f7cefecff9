"""The book as a site: docs/ as static HTML that needs no server and no network, with the lab next to it.

  book.py OUTPUT_DIR [LAB_HTML] [--address URL] [--pdf] [--zip]

OUTPUT_DIR is new or empty, or holds an earlier site, which is replaced. URL is where the site will be published, for the picture
that a link to it shows; --pdf prints the slides of docs/teaching/ to slides.pdf, with chromium; --zip also packs everything into
OUTPUT_DIR.zip, to be handed out and read without a network.

Pandoc reads the Markdown, KaTeX sets the formulas (here, not in the browser), and this file does the rest: pages with a table of
contents and links to their neighbours, figures in the page's colours, links to the lab at every expression in a command, and a page
for each file of the project that the book links to. Without LAB_HTML (`./dev web` makes it, and model.html next to it) there are no
links to them.
"""
import argparse
import concurrent.futures
import html
import json
import os
import re
import shutil
import subprocess
import sys
from urllib.parse import urlencode

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs", "notebooks"))
import make_notebooks
import reference
from site_search import description, search_script
from slides.slides import print_slides, write_slides

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KATEX = "/usr/share/javascript/katex"  # where Debian's libjs-katex installs it
MARKS = ("katex", "book.css", "book.js")  # a folder with other files is replaced only if it holds these, as a site of the book does
# One Node process sets all formulas: it reads [tex, display?] pairs and writes HTML, with MathML for screen readers.
SET_FORMULAS = """
const katex = require("katex"), formulas = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(formulas.map(([tex, displayMode]) => {
  try { return katex.renderToString(tex, { displayMode, strict: "ignore" }); } catch (error) { return { error: error.message }; }
})));"""
LIVE_SCRIPTS = ("plane.js", "contours.js", "numbers.js", "engine.js", "figures/kit.js")
NEXT_PAGE = "<!-- next page -->"  # separates the files given to one call of pandoc
PREVIEW = "docs/pictures/bowls.png"
MADE = ("lab.html", "model.html")  # files made by ./dev web, which are not part of the project
LANGUAGES = {".cpp": "cpp", ".h": "cpp", ".py": "python", ".js": "javascript", ".html": "html", ".css": "css", ".build": "python", ".sh": "bash"}


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf8") as file:
        return file.read()


def run(command, text, **options):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        sys.exit(f"book: {command[0]} failed\n{done.stderr[-2000:]}")
    return done.stdout


# ------------------------------------------------------------------------------------------------ addresses


def page_of(path):
    """The page for a file of the project: docs/NAME.md becomes NAME.html, other files go below project/."""
    if path.endswith((".png", ".svg")):
        return re.sub("^docs/", "", path) if path.startswith("docs/") else "project/" + path
    if path == "docs/README.md":
        return "index.html"
    if path == "docs/teaching/README.md":
        return "teaching.html"
    if re.fullmatch(r"docs/((teaching|notebooks)/)?[\w-]+\.md", path):
        return path[5:-3].replace("/", "-") + ".html"
    return f"project/{path}/index.html" if os.path.isdir(os.path.join(ROOT, path)) else f"project/{path}.html"


def relative(target, page):
    return os.path.relpath(target, os.path.dirname(page) or ".")


class Site:
    def __init__(self, out, lab, address=""):
        self.out, self.lab, self.address = out, lab, address
        model = os.path.join(os.path.dirname(lab), "model.html") if lab else ""
        self.model = model if os.path.exists(model) else None
        contents = read("docs/README.md").split("## Contents")[1].split("\n## ")[0]
        # (title, page) pairs: the index, the chapters in the order of the index's table, then the pages named below that table.
        self.chapters = [("Contents", "index.html")] + [(title, page_of("docs/" + name))
                                                      for title, name in re.findall(r"^\| \[([^\]]*)\]\(([\w-]+\.md)\)", contents, re.M)]
        listed = {page for _, page in self.chapters}
        named = re.findall(r"\[([^\]]*)\]\(((?:teaching/|notebooks/)?[\w-]+\.md)\)", contents)
        self.sources = {page_of("docs/" + name): "docs/" + name for _, name in named} | {"index.html": "docs/README.md"}
        self.beside = [(title[0].upper() + title[1:], page_of("docs/" + name)) for title, name in named if page_of("docs/" + name) not in listed]
        self.wanted, self.pages, self.titles = [], {}, {}
        self.generated = reference.pages(ROOT)  # pages whose Markdown is generated rather than read from a file of the project
        self.beside += [(re.match("# (.*)", text)[1], page_of(path)) for path, text in self.generated.items()]

    def want(self, path):
        if path not in self.wanted:
            self.wanted.append(path)
        return page_of(path)

    # -------------------------------------------------------------------------------------------- one page

    def text(self, path):
        """The Markdown for a file or folder of the project."""
        full = os.path.join(ROOT, path)
        if os.path.isdir(full):
            names = sorted(n for n in os.listdir(full) if not n.startswith((".", "__")))
            files = [n if os.path.isdir(os.path.join(full, n)) else f"[{n}]({n})" for n in names]
            text = f"# {path}\n\n" + "\n".join(f"- {name}" for name in files)
        elif path.endswith(".md"):
            text = self.generated.get(path) or read(path)
        else:
            text = f"# {path}\n\n`````{LANGUAGES.get(os.path.splitext(path)[1], 'text')}\n{read(path)}\n`````"
        return re.sub(r"\$`(.*?)`\$", r"$\1$", text)  # GitHub writes $`...`$ where pandoc writes $...$

    def bodies(self, paths):
        """(title, HTML) of each path, with formulas still as TeX. One call of pandoc converts many files: with groups of 40 the
        site takes 65 s of processor time, with one call per file 184 s."""
        texts = [self.text(path) for path in paths]
        made = run(["pandoc", "-f", "gfm+tex_math_dollars", "-t", "html5", "--katex", "--wrap=none"], f"\n\n{NEXT_PAGE}\n\n".join(texts)).split(NEXT_PAGE)
        return [(re.search(r"^# (.*)$", text, re.M)[1], self.links(path, self.figures(path, self.blocks(path, part.strip())))) for path, text, part in zip(paths, texts, made, strict=True)]

    def blocks(self, path, made):
        """Formats code blocks: ```math becomes a formula, commands are set apart from their output, and expressions that the lab
        can show are followed by links to it. Makes wide tables scroll sideways."""
        made = re.sub(r'<pre class="math"><code>(.*?)</code></pre>', r'<span class="math display">\1</span>', made, flags=re.S)

        def block(match):
            commands = html.unescape(re.sub(r"<[^>]+>", "", match[0]))
            shown = re.sub(r"^(\$ .*(?:\\\n.*)*)$", r"<b>\1</b>", match[0].replace('<code>$ ', "<code>\n$ "), flags=re.M).replace("<code>\n", "<code>")
            return shown + self.lab_links(path, commands)

        made = re.sub(r'<pre class="console">.*?</pre>|<div class="sourceCode"[^>]*><pre\s+class="sourceCode sh">.*?</pre></div>', block, made, flags=re.S)
        made = re.sub(r"<table>.*?</table>", r'<div class="scroll">\g<0></div>', made, flags=re.S)
        made = re.sub(r"<th((?: [^>]*)?)></th>", r"<td\1></td>", made)  # an empty heading should not be announced as one
        made = re.sub(r"<td>((?:</?strong>|[-+−±∞\d.,e/ %])+)</td>", r'<td class="number">\1</td>', made)  # numbers are not broken across lines
        # Text in a column of numbers.
        made = re.sub(r'<td style="text-align: right;">([^<]{28,})</td>', r'<td class="words" style="text-align: right;">\1</td>', made)
        # Pandoc turns every line of code into a link; removing the links saves keyboard users hundreds of tab stops.
        return re.sub(r'<span id="cb[\d-]+"><a href="#cb[\d-]+"[^>]*></a>', "<span>", made)

    def lab_links(self, path, text):
        """A link to the lab for each expression of one variable in commands, `argand lab EXPR --at Z` or `argand portrait EXPR`."""
        found = re.findall(r'argand (?:lab|portrait) (?:"([^"]+)"|([^\s"-]\S*))[^|\n]*?(?:--at[= ]"?([-+\w.]+)|(?=[|\n]|$))', text.replace("\\\n", " "))
        return self.lab_line(path, [(quoted or bare, at) for quoted, bare, at in found])

    def lab_line(self, path, expressions):
        made, seen = "", set()
        for expression, at, *asked in expressions:
            f = re.sub(r"^f\(z\) = ", "", expression)
            if re.fullmatch(r"\w+", f) and f != "z":
                f += "(z)"  # a bare function name, as in `argand portrait tanh`
            if not self.lab or f in seen or re.match(r"\w+\(\w+, ", expression):
                continue
            seen.add(f)
            state = {"f": f, **({"z": at_of(at)} if at_of(at) else {}), **({"exercise": asked[0]} if asked and asked[0] else {})}
            address = relative("lab.html", page_of(path)) + "#" + urlencode(state)
            made += f' <a class="lab" href="{html.escape(address)}" target="lab">{html.escape(f)} <span>{"as an exercise in the lab" if "exercise" in state else "in the lab"}</span></a>'
        return f'<p class="labs">{made}</p>' if made else ""

    def figures(self, path, made):
        """Combines each picture and its caption into a figure. SVGs are inlined, so that they use the page's colours. `<!-- live:
        NAME -->` above a picture replaces it by web/figures/NAME.js if scripts run; `<!-- lab: EXPR at Z; ... -->` adds links to
        the lab."""
        made = re.sub(r"((?:<!-- (?:lab|live): (?:(?!-->).)* -->\n*)+)(<p><img[^>]*/></p>\s*<p><em>.*?</em></p>)", r"\2\1", made, flags=re.S)

        def figure(match):
            picture = os.path.normpath(os.path.join(os.path.dirname(path), match[1]))
            at = self.want(picture)
            shown = f'<img src="{relative(at, page_of(path))}" alt="{match[2]}" loading="lazy">'
            if picture.endswith(".svg") and picture.startswith("docs/pictures/"):
                shown = read(picture).replace("<svg ", f'<svg role="img" aria-label="{match[2]}" ', 1)
                shown = re.sub(r"<\?xml.*?\?>\s*", "", shown)
            marks = dict(re.findall(r"<!-- (lab|live): (.*?) -->", match[4]))
            if "live" in marks:
                shown = f'<div class="still">{shown}</div>{self.live(path, marks["live"])}'
            return f'<figure>{shown}<figcaption><span class="caption">{match[3]}</span>{self.lab_line(path, named_in(marks.get("lab")))}</figcaption></figure>'

        made = re.sub(r'<p><img src="([^"]*)" alt="([^"]*)" /></p>\s*<p><em>(.*?)</em></p>((?:<!-- (?:lab|live): .*? -->\s*)*)', figure, made, flags=re.S)

        def alone(match):  # a picture without a caption
            at = self.want(os.path.normpath(os.path.join(os.path.dirname(path), match[1])))
            return f'<img src="{relative(at, page_of(path))}" alt="{match[2]}" loading="lazy">'

        made = re.sub(r'<img src="([^":]*)" alt="([^"]*)" />', alone, made)
        made = re.sub(r"<!-- lab: (.*?) -->", lambda m: self.lab_line(path, named_in(m[1])), made)
        made = re.sub(r"<!-- model: (.*?) -->", lambda m: f'<p class="labs"><a class="page" href="{relative("model.html", page_of(path))}">{m[1]}</a></p>' if self.model else "", made)
        return re.sub(r"<!--.*?-->\n?", "", made, flags=re.S)

    def live(self, path, name):
        """The placeholder for a live figure. Some figures call the library, which is in a file shared with the lab."""
        if not os.path.exists(os.path.join(ROOT, "web", "figures", name + ".js")):
            sys.exit(f"book: {path} has a live figure {name}, and there is no web/figures/{name}.js")
        module = f' data-module="{relative("lab-module.js", page_of(path))}"' if self.lab else ""
        return f'<div class="live" data-live="{name}"{module}></div>'

    def scripts(self, page, body):
        """The scripts and the style sheet for the live figures of a page, if it has any."""
        names = re.findall(r'data-live="([\w-]+)"', body)
        loaded = [*LIVE_SCRIPTS, *(f"figures/{name}.js" for name in names)] if names else []
        style = f'<link rel="stylesheet" href="{relative("live/live.css", page)}">\n' if names else ""
        return style + "".join(f'<script defer src="{relative("live/" + os.path.basename(name), page)}"></script>\n' for name in loaded)

    def links(self, path, made):
        """Turns links within the project into links within the site, and requests a page for every file that they lead to."""

        def link(match):
            target, _, anchor = html.unescape(match[1]).partition("#")
            if re.match(r"[a-z]+:", target) or not target or os.path.basename(target) in MADE:
                return match[0]
            file = os.path.normpath(os.path.join(path if os.path.isdir(os.path.join(ROOT, path)) else os.path.dirname(path), target))
            if file not in self.generated and not os.path.exists(os.path.join(ROOT, file)):
                sys.exit(f"book: {path} links to {target}, which does not exist")
            address = relative(self.want(file), page_of(path)) + ("#" + anchor if anchor else "")
            return f'<a href="{html.escape(address)}"'

        return re.sub(r'<a href="([^"]*)"', link, made)

    # -------------------------------------------------------------------------------------------- all pages

    def contents(self, page, body):
        """The table of contents in the sidebar: all chapters, and the sections of this one."""

        def item(title, target):
            here = ' aria-current="page"' if target == page else ""
            sections = ""
            if target == page and page != "index.html":
                found = re.findall(r'<h2 id="([^"]*)">(.*?)</h2>', body, re.S)
                sections = "<ul>" + "".join(f'<li><a href="#{anchor}">{re.sub("</?a[^>]*>", "", name)}</a></li>' for anchor, name in found) + "</ul>"
            return f'<li><a href="{relative(target, page)}"{here}>{html.escape(title)}</a>{sections if sections != "<ul></ul>" else ""}</li>'

        learning = [("A language model that trains in the page", "model.html")] if self.model else []
        chapters, beside = ("".join(item(*entry) for entry in entries) for entries in (self.chapters, self.beside + learning))
        return f"<ul>{chapters}</ul><h2>Beside the chapters</h2><ul>{beside}</ul>"

    def neighbours(self, page, place):
        pages = [target for _, target in self.chapters]
        if page not in pages:
            return ""
        at, made = pages.index(page), ""
        for word, other in (("previous", at - 1), ("next", at + 1)):
            if 0 <= other < len(pages):
                title, target = self.chapters[other]
                title = re.sub(r"^(\d+\.) ", "\\1\u00a0", title)  # the number stays with its title
                made += f'<a rel="{word[:4]}" href="{relative(target, page)}"><small>{word}</small> {html.escape(title)}</a>'
        return f'<nav class="neighbours" aria-label="previous and next, {place}">{made}</nav>'

    def make(self):
        self.copy_style()
        for _, page in self.chapters + self.beside:
            self.want(self.sources.get(page) or "docs/" + page[:-5] + ".md")
        done = 0
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            while done < len(self.wanted):  # making a page may add more pages to the list
                now, done = self.wanted[done:], len(self.wanted)
                texts = [path for path in now if not path.endswith((".png", ".svg"))]
                code = [path for path in texts if not path.endswith(".md")]
                groups = [[path] for path in texts if path.endswith(".md")] + [code[at:at + 40] for at in range(0, len(code), 40)]
                for group, pages in zip(groups, pool.map(self.bodies, groups)):
                    self.pages.update(zip(group, pages))
        listed = [page for _, page in self.chapters + self.beside]
        texts = sorted(((title, page_of(path), body) for path, (title, body) in self.pages.items() if page_of(path) in listed), key=lambda one: listed.index(one[1]))
        descriptions = {page: description(body) for _, page, body in texts}
        with open(os.path.join(self.out, "search.js"), "w", encoding="utf8") as file:
            file.write(search_script([(re.sub("[`$]", "", title), page, body) for title, page, body in texts]))
        self.set_formulas()
        notebooks = make_notebooks.write(os.path.join(self.out, "notebooks"))
        template = read("web/book.html")
        for path in self.wanted:
            page = page_of(path)
            target = os.path.join(self.out, page)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if path not in self.pages:
                shutil.copyfile(os.path.join(ROOT, path), target)
                continue
            title, body = self.pages[path]
            name = os.path.splitext(os.path.basename(path))[0]
            if path.startswith("docs/") and name in notebooks:
                address = relative(f"notebooks/{name}.ipynb", page)
                body = body.replace("</h1>", f'</h1>\n<p><a href="{address}" download>This page as a notebook</a></p>', 1)
            parts = {"@title@": html.escape(re.sub("[`$]", "", title)), "@root@": relative(".", page), "@contents@": self.contents(page, body),
                     "@scripts@": self.scripts(page, body), "@neighbours@": self.neighbours(page, "below"), "@neighbours_above@": self.neighbours(page, "above"), "@body@": body,
                     "@description@": html.escape(descriptions.get(page) or title), "@preview@": self.address + ("preview.png" if self.address else relative("preview.png", page))}
            with open(target, "w", encoding="utf8") as file:
                file.write(re.sub("|".join(parts), lambda m: parts[m[0]], template))
        write_slides(self.out, *self.pages["docs/teaching/slides.md"])
        if self.lab:
            share_module(self.lab, self.out)
        if self.model:
            shutil.copyfile(self.model, os.path.join(self.out, "model.html"))
        bodies = "".join(body for _, body in self.pages.values())
        links = f"{bodies.count('target=' + chr(34) + 'lab')} links to the lab" if self.lab else "without the lab (./dev web makes it)"
        print(f"{os.path.join(self.out, 'index.html')}: {len(self.pages)} pages, {bodies.count('<annotation')} formulas, {links}")

    def copy_style(self):
        """Copies the files that every page needs. This comes first because they identify the site as replaceable even if the build
        is interrupted."""
        os.makedirs(os.path.join(self.out, "katex"))
        for name in (*MARKS[1:], "reach.js", "favicon.svg"):
            shutil.copyfile(os.path.join(ROOT, "web", name), os.path.join(self.out, name))
        os.makedirs(os.path.join(self.out, "live"))
        figures = os.path.join(ROOT, "web", "figures")
        for name in (*LIVE_SCRIPTS, *("figures/" + name for name in sorted(os.listdir(figures)) if name != "kit.js")):
            shutil.copyfile(os.path.join(ROOT, "web", name), os.path.join(self.out, "live", os.path.basename(name)))
        shutil.copyfile(os.path.join(ROOT, PREVIEW), os.path.join(self.out, "preview.png"))
        with open(os.path.join(self.out, ".nojekyll"), "w", encoding="utf8"):
            pass  # stops GitHub Pages from passing the site through Jekyll, which would drop some files
        shutil.copyfile(os.path.join(KATEX, "katex.min.css"), os.path.join(self.out, "katex", "katex.min.css"))
        shutil.copytree(os.path.join(KATEX, "fonts"), os.path.join(self.out, "katex", "fonts"),
                        ignore=lambda _, names: [name for name in names if not name.endswith(".woff2")])

    def set_formulas(self):
        pattern = r'<span class="math (inline|display)">(.*?)</span>'
        found = {}
        for path, (_, body) in self.pages.items():
            for kind, tex in re.findall(pattern, body, re.S):
                found.setdefault((html.unescape(tex), kind == "display"), path)
        answers = json.loads(run(["node", "-e", SET_FORMULAS], json.dumps(list(found)), env=dict(os.environ, NODE_PATH="/usr/share/nodejs")))
        for ((tex, _), path), answer in zip(found.items(), answers):
            if isinstance(answer, dict):
                sys.exit(f"book: {path}: {answer['error']} in {tex}")
        made = dict(zip(found, answers))

        def formula(match):
            """Keeps a short formula and the punctuation after it together, so that no line begins with a comma."""
            shown, after = made[html.unescape(match[2]), match[1] == "display"], match[3]
            if match[1] == "display" or not after or shown.count('class="base"') > 1 and len(match[2]) > 20:
                return shown + after
            return f'<span class="together">{shown}{after}</span>'

        for path, (title, body) in self.pages.items():
            self.pages[path] = (title, re.sub(pattern + r"([,.;:!?)]*)", formula, body, flags=re.S))


def share_module(lab, out):
    """Copies the lab to a site, moving the library from its page to a file that live figures load, too."""
    with open(lab, encoding="utf8") as file:
        text = file.read()
    parts = {}
    for name in ("glue", "engine"):
        found = re.search(f'<script type="text/plain" id="{name}">(.*?)</script>\n', text, re.S)
        parts[name], text = found[1], text.replace(found[0], '<script src="lab-module.js"></script>\n' if name == "glue" else "")
    for name, content in (("lab.html", text), ("lab-module.js", f"globalThis.argandParts = {json.dumps(parts)};\n")):
        with open(os.path.join(out, name), "w", encoding="utf8") as file:
            file.write(content)


def named_in(text):
    """The expressions in "<!-- lab: EXPR at Z ask gradient; EXPR -->", each with Z and the derivatives asked for."""
    return [re.fullmatch(r"(.*?)(?: at (\S+))?(?: ask (\S+))?", part).groups("") for part in text.split("; ")] if text else []


def at_of(text):
    """Converts "1+2i" to the form of the lab's address, "1,2"; empty if it is not a number."""
    try:
        z = complex(re.sub(r"(?<![\d.])j", "1j", text.replace("i", "j")))
        return f"{z.real:g},{z.imag:g}"
    except ValueError:
        return ""


def main():
    given = argparse.ArgumentParser(description=__doc__.strip(), formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("out", metavar="OUTPUT_DIR")
    given.add_argument("lab", metavar="LAB_HTML", nargs="?")
    given.add_argument("--address", metavar="URL", default="")
    given.add_argument("--pdf", action="store_true")
    given.add_argument("--zip", action="store_true")
    given = given.parse_args()
    out, lab = os.path.abspath(given.out), given.lab if given.lab and os.path.exists(given.lab) else None
    if os.path.isdir(out) and os.listdir(out) and not all(os.path.exists(os.path.join(out, name)) for name in MARKS):
        sys.exit(f"book: {out} is not empty, and does not hold a site of the book; name a new or empty folder, or remove this one")
    shutil.rmtree(out, ignore_errors=True)
    Site(out, lab, given.address.rstrip("/") + "/" if given.address else "").make()
    if given.pdf:
        print(print_slides(out))
    if given.zip:
        print(shutil.make_archive(out, "zip", os.path.dirname(out), os.path.basename(out)))


if __name__ == "__main__":
    main()
