"""python3 -m argand: runs the self-test. python3 -m argand replay FILE: repeats a check from a file."""
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
    """Returns the exit status. 0: the gradient passes, 1: it fails, 2: inconclusive, 3: there is nothing to check."""
    try:
        names = {}
        for text in named:
            role, equals, name = text.partition("=")
            if not equals:
                raise Error(f"replay: --function {text} has no role; write --function f=MODULE:NAME")
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
    parser = argparse.ArgumentParser(prog="python3 -m argand", description="Without a command, runs the self-test, which checks that mistakes planted in gradients are caught.")
    commands = parser.add_subparsers(dest="command")
    replay = commands.add_parser("replay", help="repeats a check from a file", description=_replayed.__doc__)
    replay.add_argument("file")
    replay.add_argument("--function", action="append", default=[], metavar="f=MODULE:NAME",
                        help="where to find a function; those named in the file are imported automatically only from below the current folder")
    options = parser.parse_args()
    return _replayed(options.file, options.function) if options.command == "replay" else _selftest()


if __name__ == "__main__":
    sys.exit(main())
