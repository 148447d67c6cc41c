"""Shows progress on standard error, or as bars in a notebook."""

import sys
import time


def shown():
    """The display for `progress=True`: a bar for each stage in a notebook with tqdm, otherwise a line."""
    if in_notebook():
        try:
            from tqdm.auto import tqdm
        except ImportError:
            pass
        else:
            return Bars(tqdm)
    return Line()


def in_notebook():
    """Whether the code runs in a Jupyter kernel, where bars work better than lines."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and hasattr(shell, "kernel")


class Line:
    """One line that is overwritten; without a terminal, one line for each stage."""

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


class Bars:
    """A `tqdm` bar for each stage. tqdm closes the last one when it is garbage-collected."""

    def __init__(self, tqdm):
        self.tqdm, self.stage, self.bar = tqdm, None, None

    def __call__(self, stage, done, total):
        if not stage:
            return
        if stage != self.stage:
            if self.bar is not None:
                self.bar.close()
            self.stage, self.bar = stage, self.tqdm(total=total or None, desc=stage)
        self.bar.n = done
        self.bar.refresh()
