"""What importing wieldy costs, next to importing what it depends on."""

import os
import subprocess
import sys
from functools import partial


def test_import(compare):
    """`import wieldy` takes at most 1.3 times what `import pydantic, anyio` takes, as whole processes."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}

    def start(code):
        subprocess.run([sys.executable, "-c", code], check=True, env=environment, timeout=60)

    variants = {
        "import pydantic, anyio": partial(start, "import pydantic, anyio"),
        "import wieldy": partial(start, "import wieldy"),
        "pydantic's models": partial(start, "import anyio; from pydantic import BaseModel"),
        "from wieldy import react, run, tool": partial(
            start, "from wieldy import react, run, tool"
        ),
    }
    assert compare("import", variants, rounds=15).ratio("import wieldy") <= 1.3
