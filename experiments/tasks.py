#!/usr/bin/env python3
"""Creates synthetic texts for `argand train lm`, each designed to answer one question, and questions about them.

  tasks.py steps FOLDER [--offsets N]   a digit d is followed by the letter d positions before it
  tasks.py sums FOLDER                  additions of numbers of one to three digits, column by column
  tasks.py facts FOLDER                 questions about people, whose answers are in passages to retrieve

Writes FOLDER/text.txt, of characters for steps and sums, of words for facts; for facts also FOLDER/passages, one passage of PASSAGE
words a line. answers.py gives a trained run questions of the same kind.
"""
import random
import sys
from pathlib import Path

TITLE = r" = [^=].* = $"  # of an article of WikiText-2, a line by itself
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


PASSAGE = 12  # words of a passage with its line break: the settings' irw_length
PLACES, JOBS = 20, 20


def words(rng, count):
    """Different invented words of three syllables."""
    found = {}
    while len(found) < count:
        found["".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(3))] = None
    return list(found)


def people(rng, asked=800, others=400):
    """Two lists of (name, town, job): those asked about in training, and others, whose facts are only in the passages. A name is a
    pair of words. The others' words also occur in names asked about in training, so none is unknown to a model."""
    made = words(rng, 80 + PLACES + JOBS)
    first, last, towns, jobs = made[:40], made[40:80], made[80:80 + PLACES], made[80 + PLACES:]
    names = rng.sample([f"{a} {b}" for a in first for b in last], asked + others)
    everyone = [(name, rng.choice(towns), rng.choice(jobs)) for name in names]
    return everyone[:asked], everyone[asked:]


def passage(person):
    """The words that BM25 compares with a chunk are the first half: the name and the town."""
    name, town, job = person
    return f"{name} lives in {town} and works as a {job} .\n"


def question(rng, person):
    """There are four words between name and answer. Chunks are half a passage, six words, so wherever they begin, the first word of the name
    is in the last chunk that is complete before the answer, and so is the second in five cases of six."""
    name, town, job = person
    return (f"{name} : the town ?", town) if rng.random() < 0.5 else (f"{name} : the job ?", job)


def facts(folder, lines=24_000):
    rng = random.Random(0)
    asked, others = people(rng)
    everyone = asked + others
    rng.shuffle(everyone)
    (folder / "passages").write_text("".join(map(passage, everyone)), encoding="utf8")
    text = "".join(" ".join(question(rng, rng.choice(asked))) + "\n" for _ in range(lines))
    (folder / "text.txt").write_text(text, encoding="utf8")


def main(arguments):
    if len(arguments) not in (2, 4) or arguments[0] not in ("steps", "sums", "facts") or arguments[2:3] not in ([], ["--offsets"]):
        sys.exit(__doc__)
    if arguments[0] == "facts":
        folder = Path(arguments[1])
        folder.mkdir(parents=True, exist_ok=True)
        return facts(folder)
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
