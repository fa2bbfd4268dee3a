"""Has no object of the name that its entry point gives."""
