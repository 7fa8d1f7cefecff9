"""Generates the reference of the C++ API from the comments in the headers: one Markdown page for each folder of the library.

For every header it shows the first comment, then each declaration with its comment. Bodies of functions, private members and
namespaces called detail are left out.
"""
import os
import re

ROOMS = {
    "core": "tensors, shapes, random numbers, and the kernels that compute on them",
    "autograd": "variables, the tape, the ops, forward mode, and the judge of gradients",
    "nn": "layers, modules, and the models of the families",
    "optim": "optimisers, schedules and clipping",
    "data": "files, tokenisers, data sets and batches",
    "train": "training runs: configuration, loop, checkpoints, evaluation, generation",
}
INSIDE = re.compile(r"kernels/|_loops\.h|_tiles\.h|_plan\.h|planted_fault|special_points|derivatives\.h|own_name")


def headers(root, room):
    """Paths of the public headers below the folder `room`. Kernels, loops and headers with their own namespace are internal."""
    found = [os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(os.path.join(root, room)) for name in names if name.endswith(".h")]
    public = [path for path in found if not INSIDE.search(path) and "\nnamespace argand {" in read(root, path)]
    return sorted(public, key=lambda path: (path.count("/"), path))


def read(root, path):
    with open(os.path.join(root, path), encoding="utf8") as file:
        return file.read()


# ------------------------------------------------------------------------------------------------ reading a header


def end_of(text, at):
    """The position after the bracket that closes the one at `at`. Ignores brackets in strings, characters and comments."""
    pairs, depth = {"{": "}", "(": ")", "[": "]"}, 0
    opening, closing = text[at], pairs[text[at]]
    token = re.compile(r'//[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|[{}()\[\]]')
    for match in token.finditer(text, at):
        depth += (match[0] == opening) - (match[0] == closing)
        if depth == 0 and match[0] == closing:
            return match.end()
    return len(text)


def with_trailing(text, at):
    """The trailing comment of a declaration, `///< ...`, and the position after it."""
    found = re.compile(r"[ \t]*///<([^\n]*)(?:\n[ \t]*///<([^\n]*))*").match(text, at)
    return ("  // " + " ".join(part.strip() for part in re.findall(r"///<([^\n]*)", found[0])), found.end()) if found else ("", at)


def without_macros(text):
    return re.sub(r"^ *ARGAND_\w+\(.*\);?\n", "", text, flags=re.M)


def items(text):
    """(comment, declaration, body) of each declaration in text, in order. The body is that of a class or an enumeration, else None."""
    at, comment = 0, []
    while True:
        line = re.compile(r"[ \t]*(///[^\n]*|//[^\n]*|#(?:[^\n\\]|\\.|\\\n)*|(?:public|private|protected):|\}|;)?[ \t]*\n?").match(text, at)
        if line and line.end() > at:
            found, at = line[1], line.end()
            if found and found.startswith("///"):
                if not found.startswith("///<"):
                    comment.append(found[3:].removeprefix(" "))
            elif found and found.endswith(":"):
                yield [], found, None
            elif found or "\n" in line[0]:
                comment = []
            continue
        if at >= len(text):
            return
        begin, body = at, None
        while at < len(text):
            token = re.compile(r'//[^\n]*|"(?:\\.|[^"\\])*"|[;{(]').search(text, at)
            if token is None:
                at = len(text)
            elif token[0] == "(":
                at = end_of(text, token.start())
            elif token[0] == "{":
                declared = text[begin:token.start()]
                at = end_of(text, token.start())
                kept = re.match(r"\s*(?:template\s*<.*?>\s*)?(?:class|struct|enum|namespace|union)\b", declared, re.S)
                if kept or re.search(r"=\s*$", declared) or not re.search(r"[)>]\s*(?:(?:const|noexcept|override|final|->.*|requires.*|:.*)\s*)*$", declared, re.S):
                    body = text[token.end():at - 1] if kept else None
                    semicolon = re.compile(r"\s*;").match(text, at)
                    if not kept and semicolon is None:
                        continue  # braces of an initialiser inside a declaration, not a body
                    said, after = with_trailing(text, semicolon.end() if semicolon else at)
                    whole, at = text[begin:semicolon.end() if semicolon else at].strip(), after
                    yield comment, declared.strip() if kept else whole + said, body
                else:
                    yield comment, re.sub(r"\s*:\s*\w+_?[({].*$", "", declared, flags=re.S).strip() + ";", None
                break
            elif token[0] == ";":
                whole = text[begin:token.end()].strip()
                said, at = with_trailing(text, token.end())
                yield comment, whole + said, None
                break
            else:
                at = token.end()
        comment = []


def enumeration(declared, body):
    return f"{declared} {{{body.rstrip()}\n}};" if "\n" in body else f"{declared} {{ {body.strip()} }};"


def members(body, indent="  "):
    """The public members of a class, as code."""
    lines, shown = [], True
    for comment, declared, inner in items(body):
        if re.fullmatch(r"public:|private:|protected:", declared):
            shown = declared == "public:"
            continue
        if not shown or re.match(r"friend\b|static_assert", declared):
            continue
        lines += [f"{indent}// {text}".rstrip() for text in comment]
        lines += [indent + text.removeprefix("  ") for text in declared.split("\n")] if inner is None else [indent + text for text in with_body(declared, inner).split("\n")]
    return lines


def with_body(declared, body):
    """The code of an enumeration, or of a class with its public members."""
    if re.match(r"enum\b", declared):
        return enumeration(declared, body)
    private_first = re.match(r"(?:template.*\n)?class\b", declared)
    inside = members(("private:\n" if private_first else "") + body)
    return "\n".join([declared + " {", *inside, "};"]) if inside else declared + " {};"


def declarations(text):
    """(comment lines, code) of each declaration of a header in namespace argand."""
    for comment, declared, body in items(text):
        if re.match(r"namespace\b", declared):
            if body is not None and re.fullmatch(r"namespace argand", declared):
                yield from declarations(body)
            continue
        if re.match(r"(?:template (?:struct|class)|extern|using namespace|static_assert|public:|private:)", declared) or re.match(r"template\s+[^<\s]", declared):
            continue
        yield comment, declared if body is None else with_body(declared, body)


def prose(lines):
    """A comment as Markdown: lines indented by four spaces are code, **words** are bold, other asterisks and underscores are escaped."""
    made = []
    for line in lines:
        if line.startswith("    "):
            made.append(line)
        else:  # inside backticks, where nothing needs escaping
            made.append("`".join(part if i % 2 else re.sub(r"(\*\*(?=\w)|(?<=\w)\*\*)|([*_<\[\]|~])", lambda m: m[1] or "\\" + m[2], part) for i, part in enumerate(line.split("`"))))
    return "\n".join(made)


# ------------------------------------------------------------------------------------------------ pages


def page(root, room):
    made = [f"# Reference: {room}", "", f"{ROOMS[room][0].upper()}{ROOMS[room][1:]}. Made from the comments in the headers.", ""]
    for path in headers(root, room):
        text = without_macros(read(root, path))
        first = re.match(r"#pragma once\n((?:///[^\n]*\n)*)", text)
        made += [f"## {path}", "", prose([line[3:].removeprefix(" ") for line in first[1].splitlines()]) if first else "", "", f"Source: [{path}](../{path})", ""]
        group = []
        for comment, code in declarations(text[first.end() if first else 0:]):
            if comment and group:
                made += ["```cpp", *group, "```", ""]
                group = []
            made += [prose(comment), ""] if comment else []
            group.append(code)
        made += ["```cpp", *group, "```", ""] if group else []
    return "\n".join(made) + "\n"


def pages(root):
    """{path: Markdown}, as if these were files in docs/: an index, and a page for each folder of the library."""
    index = ["# Reference", "", "Every public declaration of the library, from the comments in its headers. `#include <argand/argand.h>` has them all.", ""]
    index += [f"- [{room}](reference-{room}.md): {about}" for room, about in ROOMS.items()]
    return {"docs/reference.md": "\n".join(index) + "\n"} | {f"docs/reference-{room}.md": page(root, room) for room in ROOMS}
