"""Joins the parts of the page and writes them as a C++ source.

  embed.py OUT.cpp page.html page.css chart.min.js SCRIPT.js...

page.html has {{style}}, {{chart}}, {{data}} and {{scripts}} in their places. The text before {{data}} and the text after it
become PageParts (apps/report/page.h).
"""
import re
import sys


def read(path):
    with open(path, encoding="utf8") as file:
        return file.read()


def literal(text):
    """A C++ string literal: one source line per line of text, non-ASCII bytes in octal."""
    escaped = "".join(
        {0x22: '\\"', 0x5C: "\\\\", 0x0A: '\\n"\n"'}.get(byte, chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}")
        for byte in text.encode())
    return f'"{escaped}"'


out, page, style, chart, *scripts = sys.argv[1:]
chart_js = read(chart)
if not re.match(r"/\*!\s+\* Chart\.js v3\.", chart_js):
    sys.exit(f"{chart} is not Chart.js 3; install libjs-chart.js, or give its location with -Dchartjs=PATH")
# Keep the licences but remove the addresses in them, so that the page contains no host name.
parts = {"style": read(style), "chart": re.sub(r"https?://", "", chart_js), "scripts": "\n".join(map(read, scripts))}
for name, text in parts.items():
    if re.search(r"</(script|style)", text, re.I):
        sys.exit(f"{name} would end its own element")
html = read(page)
for name, text in parts.items():
    html = html.replace("{{" + name + "}}", text)
before, after = html.split("{{data}}")
with open(out, "w", encoding="utf8") as file:
    file.write('#include "apps/report/page.h"\n\n#pragma GCC diagnostic ignored "-Woverlength-strings"  // Clang counts to 65536\n\n'
               'namespace argand {\n\n'
               f"const PageParts page_parts{{\n{literal(before)},\n{literal(after)}}};\n\n}}  // namespace argand\n")
