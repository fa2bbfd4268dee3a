"""Bookings, and how they are written: "09:00-10:30 Planning"."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Slot:
    """A part of a day, in minutes since midnight; the end does not belong to it."""

    start: int
    end: int

    @property
    def minutes(self) -> int:
        """How long it is."""
        return self.end - self.start

    def __str__(self) -> str:
        return f"{format_time(self.start)}-{format_time(self.end)}"


@dataclass(frozen=True)
class Booking:
    """One entry in the calendar of a room."""

    title: str
    slot: Slot
    cancelled: bool = False

    @classmethod
    def parse(cls, line: str) -> "Booking":
        """Reads a line like "09:00-10:30 Planning"; "(cancelled)" at the end cancels it."""
        times, _, title = line.strip().partition(" ")
        start, _, end = times.partition("-")
        slot = Slot(parse_time(start), parse_time(end))
        if slot.minutes <= 0:
            raise ValueError(f"the booking ends before it starts: {line!r}")
        cancelled = title.endswith("(cancelled)")
        return cls(title.replace("(cancelled)", "").strip(), slot, cancelled)


def parse_time(text: str) -> int:
    """Reads "09:30" as minutes since midnight; "24:00" is the end of the day."""
    hours, _, minutes = text.partition(":")
    time = int(hours) * 60 + int(minutes)
    if int(minutes) > 59 or not 0 <= time <= 24 * 60:
        raise ValueError(f"not a time of day: {text!r}")
    return time


def format_time(time: int) -> str:
    """Writes minutes since midnight as "09:30"."""
    return f"{time // 60:02d}:{time % 60:02d}"
