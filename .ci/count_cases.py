"""Prints `PASSED FAILED`, the test cases in Meson's testlog.json: Boost's own count, or one a program that reports none. To the
standard error go the last lines of what each failed test printed."""
import json
import re
import sys

LAST_LINES = 40

passed = failed = 0
for line in open(sys.argv[1], encoding="utf8"):
    test = json.loads(line)
    good = test["result"] in ("OK", "EXPECTEDFAIL")
    if test["result"] == "SKIP":
        continue
    # BOOST_TEST_REPORT_LEVEL=short, at the end of a run: "  12 test cases out of 13 passed", "  1 test case out of 13 failed".
    text = test.get("stdout", "") + test.get("stderr", "")
    counts = {word: int(n) for n, word in re.findall(r"^ *(\d+) test cases? out of \d+ (passed|failed|aborted)$", text, re.M)}
    bad = counts.get("failed", 0) + counts.get("aborted", 0)
    passed += counts.get("passed", 1 if good else 0)
    failed += bad if good or bad else 1
    if not good:
        print(f"--- {test['name']}: {test['result']} after {test['duration']:.0f} s", *text.splitlines()[-LAST_LINES:], sep="\n", file=sys.stderr)
print(passed, failed)
