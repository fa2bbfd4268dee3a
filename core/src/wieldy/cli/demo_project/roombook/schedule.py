"""Busy and free times of a room."""

from typing import Iterable, List

from .booking import Booking, Slot


def busy_times(bookings: Iterable[Booking]) -> List[Slot]:
    """Returns when the room is taken: in order, without overlaps."""
    slots = [booking.slot for booking in bookings if not booking.cancelled]
    busy: List[Slot] = []
    for slot in sorted(slots, key=lambda slot: slot.start):
        if busy and slot.start <= busy[-1].end:
            busy[-1] = Slot(busy[-1].start, slot.end)
        else:
            busy.append(slot)
    return busy


def free_slots(
    bookings: Iterable[Booking], opens: int, closes: int, at_least: int = 15
) -> List[Slot]:
    """Returns when the room can be booked.

    Args:
        bookings: The bookings of the day, in any order.
        opens: When the building opens, in minutes since midnight.
        closes: When it closes.
        at_least: How many minutes a slot must have.
    """
    free: List[Slot] = []
    start = opens
    for busy in busy_times(bookings):
        end = min(busy.start, closes)
        if end - start >= at_least:
            free.append(Slot(start, end))
        start = max(start, busy.end)
    if closes - start >= at_least:
        free.append(Slot(start, closes))
    return free
