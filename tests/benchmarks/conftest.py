"""Measuring: every figure is a ratio of medians of one interleaved run, never an absolute time."""

import statistics
import sys
import time

import pytest


class Comparison:
    """The medians of several variants, in seconds."""

    def __init__(self, title, samples, floor):
        self.title = title
        self.floor = floor
        self.medians = {name: statistics.median(each) for name, each in samples.items()}

    def ratio(self, name):
        return self.medians[name] / self.medians[self.floor]

    def show(self):
        print(f"\n{self.title} (medians, floor: {self.floor})", file=sys.stderr)
        for name, median in self.medians.items():
            print(
                f"  {name:<40} {median * 1e6:>12.1f} us  x{self.ratio(name):.2f}", file=sys.stderr
            )


@pytest.fixture
def compare():
    """Runs variants in turn, round by round, and prints their medians.

    `compare(title, {name: function}, rounds=..., repeat=...)`: each function is called `repeat` times a
    round; the first is the floor. The first tenth of the rounds is not counted.
    """

    def measure(title, variants, *, rounds=200, repeat=1):
        samples = {name: [] for name in variants}
        for _ in range(rounds + max(1, rounds // 10)):
            for name, function in variants.items():
                start = time.perf_counter()
                for _ in range(repeat):
                    function()
                samples[name].append((time.perf_counter() - start) / repeat)
        counted = {name: each[-rounds:] for name, each in samples.items()}
        comparison = Comparison(title, counted, next(iter(variants)))
        comparison.show()
        return comparison

    return measure
