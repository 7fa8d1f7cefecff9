"""What the book's search looks in: the words of every section, as a script, because a page that was opened as a file may load no data."""
import html
import json
import re


def plain(made):
    """The words of a piece of HTML: no programs, no pictures, and of formulas those that read as text."""
    made = re.sub(r'<span class="math (?:inline|display)">(.*?)</span>', lambda m: " … " if "\\" in m[1] else m[1], made, flags=re.S)
    made = re.sub(r"<(pre|svg|script)\b.*?</\1>", " ", made, flags=re.S)
    words = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", made))).strip()
    return re.sub(r" ([.,;:!?)])", r"\1", words)


def sections(title, page, body):
    """(page#anchor, title of the page, heading, words) of every part of a page; the first part stands before any heading."""
    parts = re.split(r'<h[23] id="([^"]*)">(.*?)</h[23]>', re.sub(r"<h1\b.*?</h1>", "", body, flags=re.S), flags=re.S)
    made = [(page, title, "", plain(parts[0]))]
    for anchor, heading, text in zip(parts[1::3], parts[2::3], parts[3::3]):
        made.append((f"{page}#{anchor}", title, plain(heading), plain(text)))
    return made


def search_script(pages):
    """`pages`: (title, page, body), in the order in which what is found is listed."""
    found = [section for one in pages for section in sections(*one)]
    return "const SEARCHED = " + json.dumps(found, ensure_ascii=False, separators=(",", ":")) + ";\n"


def description(body):
    """The first paragraphs of a page, to some 160 letters: what search engines and links show of it."""
    text = " ".join(plain(p) for p in re.findall(r"<p>(.*?)</p>", body, re.S))
    if len(text) <= 160:
        return text
    return text[:160].rsplit(" ", 1)[0].rstrip(",;:") + " …"
