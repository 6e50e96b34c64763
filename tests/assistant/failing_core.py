"""A core that ends at once while there is no file FLAG, its first argument; then `scripted_core` with the others."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.assistant import scripted_core

if __name__ == "__main__":
    flag = Path(sys.argv.pop(1))
    if not flag.exists():
        sys.exit(3)
    scripted_core.main()
