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


class Schedule:
    """Which variant is next and where its time goes: all in turn, the first tenth not counted."""

    def __init__(self, variants, rounds):
        self.samples = {name: [] for name in variants}
        self._variants = variants
        self._rounds = rounds

    def __iter__(self):
        for number in range(-max(1, self._rounds // 10), self._rounds):
            for name, function in self._variants.items():
                yield function, self.samples[name] if number >= 0 else []

    def comparison(self, title):
        comparison = Comparison(title, self.samples, next(iter(self._variants)))
        comparison.show()
        return comparison


@pytest.fixture
def compare():
    """Runs variants in turn, round by round, and prints their medians.

    `compare(title, {name: function}, rounds=..., repeat=...)`: each function is called `repeat` times a
    round; the first is the floor.
    """

    def measure(title, variants, *, rounds=200, repeat=1):
        schedule = Schedule(variants, rounds)
        for function, samples in schedule:
            start = time.perf_counter()
            for _ in range(repeat):
                function()
            samples.append((time.perf_counter() - start) / repeat)
        return schedule.comparison(title)

    return measure


@pytest.fixture
def compare_async():
    """The same for async functions, awaited one after the other in one loop."""

    async def measure(title, variants, *, rounds=200):
        schedule = Schedule(variants, rounds)
        for function, samples in schedule:
            start = time.perf_counter()
            await function()
            samples.append(time.perf_counter() - start)
        return schedule.comparison(title)

    return measure
