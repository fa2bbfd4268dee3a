"""The `wieldy` command. Nothing else of wieldy imports it, nor click and rich."""
