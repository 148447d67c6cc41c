"""The main text of every HTML file below a folder, by trafilatura: what `retold text` does."""

import pathlib
import sys

import trafilatura

for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.htm*")):
    sys.stdout.write((trafilatura.extract(path.read_bytes()) or "") + "\n")
