import unittest

from roombook import Booking, Slot, format_time, parse_time


class BookingTest(unittest.TestCase):
    def test_a_line_is_read(self) -> None:
        self.assertEqual(Booking.parse("09:00-10:30 Planning"), Booking("Planning", Slot(540, 630)))

    def test_a_cancelled_booking_is_known(self) -> None:
        self.assertTrue(Booking.parse("09:00-10:30 Planning (cancelled)").cancelled)

    def test_a_booking_cannot_end_before_it_starts(self) -> None:
        with self.assertRaises(ValueError):
            Booking.parse("10:30-09:00 Planning")

    def test_times_are_written_as_they_are_read(self) -> None:
        for text in ("00:00", "09:05", "24:00"):
            self.assertEqual(format_time(parse_time(text)), text)
