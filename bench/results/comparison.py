"""Rows compared run by run: mean differences of pairs with the same seed, their intervals and p-values."""
import math
import statistics


def student(t, freedom):
    """The probability that Student's t lies between -t and t (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and
    26.7.4)."""
    angle = math.atan(t / math.sqrt(freedom))
    odd, term, total = freedom % 2, 1.0, 1.0
    for k in range(2 + odd, freedom, 2):
        term *= (k - 1) / k * math.cos(angle) ** 2
        total += term
    if not odd:
        return math.sin(angle) * total
    return 2 / math.pi * (angle + (math.sin(angle) * math.cos(angle) * total if freedom > 1 else 0))


def quantile(level, freedom):
    """The t between which and -t the share `level` lies."""
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if student(middle, freedom) < level else (low, middle)
    return low


class Difference:
    """Of pairs of runs: the mean; of two pairs or more an interval and p."""

    def __init__(self, differences):
        self.differences = differences
        self.mean = statistics.fmean(differences) if differences else None
        self.low = self.high = self.p = None

    def side(self):
        return -1 if self.high is not None and self.high < 0 else 1 if self.low is not None and self.low > 0 else 0


def compare(rows, confidence=0.95):
    """A Difference for each list of differences. The intervals hold for all at once (Bonferroni), p is after Holm."""
    found = [Difference(row) for row in rows]
    tested = [one for one in found if len(one.differences) >= 2]
    for one in tested:
        freedom = len(one.differences) - 1
        deviation = statistics.stdev(one.differences) / math.sqrt(freedom + 1)
        reach = quantile(1 - (1 - confidence) / len(tested), freedom) * deviation
        one.low, one.high = one.mean - reach, one.mean + reach
        one.p = 1 - student(abs(one.mean) / deviation, freedom) if deviation > 0 else float(one.mean == 0)
    before = 0.0
    for k, one in enumerate(sorted(tested, key=lambda one: one.p)):
        before = one.p = min(1.0, max(before, one.p * (len(tested) - k)))
    return found
