"""The index for the book's search: the words of every section, in a script because a page opened as a file cannot load data."""
import html
import json
import re


def plain(made):
    """The words in a piece of HTML, without code and pictures; formulas that contain TeX commands become an ellipsis."""
    made = re.sub(r'<span class="math (?:inline|display)">(.*?)</span>', lambda m: " … " if "\\" in m[1] else m[1], made, flags=re.S)
    made = re.sub(r"<(pre|svg|script)\b.*?</\1>", " ", made, flags=re.S)
    words = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", made))).strip()
    return re.sub(r" ([.,;:!?)])", r"\1", words)


def sections(title, page, body):
    """(page#anchor, title of the page, heading, words) of every section of a page; the first is the text before any heading."""
    parts = re.split(r'<h[23] id="([^"]*)">(.*?)</h[23]>', re.sub(r"<h1\b.*?</h1>", "", body, flags=re.S), flags=re.S)
    made = [(page, title, "", plain(parts[0]))]
    for anchor, heading, text in zip(parts[1::3], parts[2::3], parts[3::3]):
        made.append((f"{page}#{anchor}", title, plain(heading), plain(text)))
    return made


def search_script(pages):
    """The index as JavaScript. `pages` are (title, page, body), in the order in which results are listed."""
    found = [section for one in pages for section in sections(*one)]
    return "const SEARCHED = " + json.dumps(found, ensure_ascii=False, separators=(",", ":")) + ";\n"


def description(body):
    """The beginning of a page's text, about 160 characters at most, for search engines and link previews."""
    text = " ".join(plain(p) for p in re.findall(r"<p>(.*?)</p>", body, re.S))
    if len(text) <= 160:
        return text
    return text[:160].rsplit(" ", 1)[0].rstrip(",;:") + " …"
