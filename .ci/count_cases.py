"""Prints `PASSED FAILED`, the numbers of test cases in Meson's testlog.json: those that Boost reports, or one for a program that
reports none. Prints the last lines of each failed test's output to standard error."""
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
    # The last line with BOOST_TEST_REPORT_LEVEL=short: "  12 test cases out of 13 passed", "  1 test case out of 13 failed".
    text = test.get("stdout", "") + test.get("stderr", "")
    counts = {word: int(n) for n, word in re.findall(r"^ *(\d+) test cases? out of \d+ (passed|failed|aborted)$", text, re.M)}
    bad = counts.get("failed", 0) + counts.get("aborted", 0)
    passed += counts.get("passed", 1 if good else 0)
    failed += bad if good or bad else 1
    if not good:
        print(f"--- {test['name']}: {test['result']} after {test['duration']:.0f} s", *text.splitlines()[-LAST_LINES:], sep="\n", file=sys.stderr)
print(passed, failed)
