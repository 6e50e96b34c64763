"""`python -m parlor_tui` is the same as `parlor-tui`."""

from parlor_tui.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
