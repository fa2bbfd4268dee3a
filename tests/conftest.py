"""What every test of the tree runs under."""

import pytest


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request):
    """Every async test runs on both event loops."""
    return request.param
