"""Runs the commands that pages show after `$`, and compares their output with that on the pages.

    site/transcripts.py RETOLD

`retold-lab` is taken from the folder of RETOLD, if it is there.
The pages of a group run one after the other in one folder that has `examples`. `…` in an output matches any text; on a line of its own it matches any lines.
A block after a sentence that ends with "this file is `NAME`:" becomes that file, and so does one that begins with "# NAME, ". Recipes in `sh` blocks are
run by crates/retold-cli/tests/it/guide.rs. A page in Chinese, `NAME.zh.md`, must have the headings and the code of `NAME.md`, and is not run."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


def groups():
    first = DOCS / "start/first-run.md"
    pages = sorted([ROOT / "README.md", *DOCS.glob("*.md"), *(page for folder in ("start", "guide", "reference") for page in DOCS.glob(f"{folder}/**/*.md"))])
    for page in pages:
        if page.name.endswith(".zh.md"):
            continue
        # Most groups continue from the first run.
        yield [page] if "$ retold dedup examples/pages -o out\n" in page.read_text() else [first, page]


def blocks(page):
    """The code blocks of a page: the line before, the language, and the lines."""
    before, lines = "", iter(page.read_text().splitlines())
    for line in lines:
        if line.startswith("```"):
            block = []
            for inside in lines:
                if inside.startswith("```"):
                    break
                block.append(inside)
            yield before, line[3:], block
            before = ""
        elif line.strip():
            before = line


def commands(block):
    """The commands of a block, each with its output lines."""
    found = []
    for line in block:
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return found


def fits(shown, said):
    def pattern(line):
        return r"(?:.*\n)*" if line == "…" else ".*".join(re.escape(part) for part in line.split("…")) + r"\n"

    # Times depend on the machine.
    times = lambda line: re.sub(r"\b\d+\.\d\b", "0.0", line) if re.match(r"\d+\.\d s \(", line) else line
    while shown and not shown[-1]:
        shown = shown[:-1]
    text = "".join(times(line) + "\n" for line in said).rstrip() + "\n"
    return re.fullmatch("".join(pattern(times(line)) for line in shown), text)


def run(group, path):
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "examples", f"{folder}/examples")
        for page in group:
            for before, language, block in blocks(page):
                name = re.search(r"[Tt]his file is `([^`]+)`:$", before) or re.match(r"# (\S+\.(?:toml|jsonl|tsv)), ", "".join(block[:1]))
                if name:
                    Path(folder, name.group(1)).write_text("\n".join(block) + "\n")
                    continue
                lines = [] if language else commands(block)
                # One shell for a block. A marker and the exit code follow each command.
                script = "".join(f"{command}\nprintf '\\036%s\\036' $?\n" for command, _ in lines)
                ran = subprocess.run(["bash", "-c", script], cwd=folder, env={**os.environ, "PATH": path}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
                parts = ran.stdout.split("\036")
                for (command, shown), said, code in zip(lines, parts[::2], parts[1::2], strict=False):
                    # If the page shows no output, only the exit code is checked.
                    if not fits(shown, said.splitlines()) if shown else code not in ("0", "1"):
                        said = "\n".join("    " + line for line in said.splitlines()[:60])
                        wrong.append(f"{page.relative_to(ROOT)}: $ {command} (exit code {code})\n{said}")
                if len(parts) != 2 * len(lines) + 1:
                    wrong.append(f"{page.relative_to(ROOT)}: a block ended early\n{ran.stdout}")
    return wrong


def differ():
    """Pages in Chinese with other headings or other code than the pages that they translate."""
    for page in sorted(DOCS.rglob("*.zh.md")):
        parts = re.compile(r"^```.*?^```$|^#+(?= )", flags=re.M | re.S)
        english = page.with_name(page.name.replace(".zh.", "."))
        if parts.findall(page.read_text()) != parts.findall(english.read_text()):
            yield f"{page.relative_to(ROOT)}: its headings or its code are not those of {english.name}"


def main(retold):
    with tempfile.TemporaryDirectory() as programs:
        for program in (Path(retold), Path(retold).with_name("retold-lab")):
            if program.exists():
                os.symlink(program.resolve(), f"{programs}/{program.name}")
        path = f"{programs}:{os.environ['PATH']}"
        wrong = [*differ(), *(each for group in groups() for each in run(group, path))]
    for each in dict.fromkeys(wrong):
        print(each)
    sys.exit(1 if wrong else 0)


main(sys.argv[1])
