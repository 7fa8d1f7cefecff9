"""python3 -m argand: the self-test. python3 -m argand replay FILE: a check from a file, once more."""
import argparse
import os
import sys

from . import _replay
from ._argand import Error
from ._planted import selftest


def _selftest() -> int:
    found = selftest()
    print(found)
    return 0 if found else 1


def _replayed(path: str, named: list) -> int:
    """0: the gradient passes, 1: it fails, 2: that cannot be told, 3: there is nothing to judge."""
    try:
        names = {}
        for text in named:
            role, equals, name = text.partition("=")
            if not equals:
                raise Error(f"replay: --function {text} names no role; write --function f=MODULE:NAME")
            names[role] = name
        sys.path.insert(0, os.getcwd())
        functions = {role: _replay.found(names.get(role, name), role, role in names) for role, name in _replay.read(path)["functions"].items()}
        first, *others = functions
        result = _replay.replay(path, functions[first], **{role: functions[role] for role in others})
    except Error as error:
        print(error, file=sys.stderr)
        return 3
    print(result)
    return {"pass": 0, "fail": 1}.get(result.verdict, 2)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m argand", description="Without a command: mistakes planted on purpose, and whether they are found.")
    commands = parser.add_subparsers(dest="command")
    replay = commands.add_parser("replay", help="makes a check that was written to a file once more", description=_replayed.__doc__)
    replay.add_argument("file")
    replay.add_argument("--function", action="append", default=[], metavar="f=MODULE:NAME",
                        help="where a function is; functions that the file names are imported by themselves only from below this folder")
    options = parser.parse_args()
    return _replayed(options.file, options.function) if options.command == "replay" else _selftest()


if __name__ == "__main__":
    sys.exit(main())
