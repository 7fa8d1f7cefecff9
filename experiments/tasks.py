#!/usr/bin/env python3
"""Creates synthetic texts for `argand train lm --tokens char`, each designed to answer one question, and questions about them.

  tasks.py steps FOLDER [--offsets N]   a digit d is followed by the letter that stood d positions before it
  tasks.py sums FOLDER                  additions of numbers of one to three digits, column by column

Writes FOLDER/text.txt. answers.py gives a trained run questions of the same kind.
"""
import random
import sys
from pathlib import Path

LETTERS = "abcdefgh"
CHARACTERS = 1_100_000  # length of a text, of which argand reserves a tenth for validation and test


def steps(rng, offsets):
    """Random letters, then a digit from 1 to `offsets` and its answer: "hdabf2a". Digits are too far apart to point at one another."""
    while True:
        letters = rng.choices(LETTERS, k=rng.randint(offsets, 2 * offsets + 1))
        digit = rng.randint(1, offsets)
        yield "".join(letters) + str(digit), letters[-digit]


def sum_of(a, b):
    """The question "47+185=" and its answer with the working: each column's sum with its carry, from the right, then the result."""
    columns, carry = [], 0
    for k in range(max(len(str(a)), len(str(b)))):
        column = a // 10**k % 10 + b // 10**k % 10 + carry
        carry = column // 10
        columns.append(f"{column:02}")
    return f"{a}+{b}=", ",".join(columns) + f":{a + b}\n"


def sums(rng, least=1, most=3):
    """Each number has `least` to `most` digits, with all counts equally likely."""
    def number():
        digits = rng.randint(least, most)
        return rng.randrange(10**(digits - 1) if digits > 1 else 0, 10**digits)
    while True:
        yield sum_of(number(), number())


def main(arguments):
    if len(arguments) not in (2, 4) or arguments[0] not in ("steps", "sums") or arguments[2:3] not in ([], ["--offsets"]):
        sys.exit(__doc__)
    rng = random.Random(0)
    questions = sums(rng) if arguments[0] == "sums" else steps(rng, int(arguments[3]) if len(arguments) == 4 else 2)
    text, length = [], 0
    while length < CHARACTERS:
        text += next(questions)
        length += len(text[-1]) + len(text[-2])
    folder = Path(arguments[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "text.txt").write_text("".join(text), encoding="utf8")


if __name__ == "__main__":
    main(sys.argv[1:])
