"""What the tests of sandboxes share."""

import pytest

# So that an assertion of the suite says what it saw, as one of a test file does.
pytest.register_assert_rewrite("wieldy.testing.sandbox_conformance")
