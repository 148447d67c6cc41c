"""Progress on standard error."""

import sys
import time


class Line:
    """One line that is written over again; a line a stage where that is no terminal."""

    def __init__(self):
        self.stage, self.since = None, time.monotonic()

    def __call__(self, stage, done, total):
        if stage != self.stage and stage:
            self.stage, self.since = stage, time.monotonic()
            if not sys.stderr.isatty():
                print(f"retold: {stage}", file=sys.stderr, flush=True)
        if sys.stderr.isatty():
            share = f"{100 * done / total:5.1f} %" if total else ""
            spent = time.monotonic() - self.since
            print(f"\r\033[K{self.stage} {share} {spent:.0f} s", end="", file=sys.stderr, flush=True)
