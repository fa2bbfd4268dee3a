import unittest
from typing import List

from roombook import Booking, busy_times, free_slots, parse_time


def busy(*lines: str) -> List[str]:
    return [str(slot) for slot in busy_times(map(Booking.parse, lines))]


def free(*lines: str) -> List[str]:
    opens, closes = parse_time("08:00"), parse_time("18:00")
    slots = free_slots(map(Booking.parse, lines), opens, closes, at_least=30)
    return [str(slot) for slot in slots]


class ScheduleTest(unittest.TestCase):
    def test_a_day_without_bookings_is_free(self) -> None:
        self.assertEqual(free(), ["08:00-18:00"])

    def test_overlapping_bookings_are_one_busy_time(self) -> None:
        self.assertEqual(busy("10:00-11:00 B", "09:00-10:30 A"), ["09:00-11:00"])

    def test_bookings_without_a_break_are_one_busy_time(self) -> None:
        self.assertEqual(busy("09:00-10:00 A", "10:00-11:00 B"), ["09:00-11:00"])

    def test_cancelled_bookings_take_no_time(self) -> None:
        self.assertEqual(busy("09:00-10:00 A (cancelled)"), [])

    def test_short_breaks_are_not_offered(self) -> None:
        self.assertEqual(free("08:00-12:00 A", "12:15-17:00 B"), ["17:00-18:00"])

    def test_a_call_inside_a_workshop_does_not_free_the_room(self) -> None:
        self.assertEqual(
            free("09:00-16:00 Workshop", "10:00-10:30 Call"), ["08:00-09:00", "16:00-18:00"]
        )
