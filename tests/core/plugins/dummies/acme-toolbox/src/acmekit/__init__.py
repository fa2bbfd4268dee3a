"""What a third party brings: one of each that can be registered."""
