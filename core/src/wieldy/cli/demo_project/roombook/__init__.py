"""When a meeting room is free."""

from .booking import Booking, Slot, format_time, parse_time
from .schedule import busy_times, free_slots

__all__ = ["Booking", "Slot", "busy_times", "format_time", "free_slots", "parse_time"]
