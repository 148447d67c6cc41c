"""Copies the documents to two folders for mkdocs, `users` and `lab`, with the names and links that a site needs.

On GitHub a folder's first page is README.md, and index.md is an ordinary page; for mkdocs both are the first page."""

import posixpath
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Files outside docs/ that belong to the site for users, because pages link to them.
BESIDE = ["CHANGELOG.md", "SECURITY.md", "retold.example.toml", "examples/clean_parquet.py", "examples/commoncrawl_spark.py", "examples/watch.toml"]


def place(path):
    """The site that has a file of the repository, and its path there."""
    site, prefix = ("lab", "docs/lab/") if path.startswith("docs/lab/") else ("users", "docs/")
    path = path[len(prefix):] if path.startswith(prefix) else f"repository/{path}"
    folder, name = posixpath.split(path)
    name = {"README.md": "index.md", "index.md": "the-index.md"}.get(name, name)
    return site, posixpath.join(folder, name)


def lists(text):
    """Adapts lists for mkdocs: a blank line before a list, and four spaces of indentation for nested ones."""
    lines, before = [], ""
    inside = nesting = False
    for line in text.split("\n"):
        nested = re.match(r" {2,3}(?=[-*] )", line)
        item = re.match(r"([-*]|\d+\.) ", line)
        if nested and inside:
            if before and not nesting:
                lines.append("")
            line, nesting = "    " + line.lstrip(), True
        elif item:
            if before and not inside:
                lines.append("")
            inside, nesting = True, False
        elif line.strip() and line[0] != " " and not before:
            inside = False
        lines.append(line)
        before = line.strip() and line
    return "\n".join(lines)


def relink(text, source):
    site, here = place(source)

    def link(found):
        words, target = found.groups()
        path, hash, anchor = target.partition("#")
        if not path or "://" in target:
            return found.group()
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        there_site, there = place(path)
        if there_site == site:
            return f"[{words}]({posixpath.relpath(there, posixpath.dirname(here))}{hash}{anchor})"
        # mkdocs does not know the other site; check.py checks these links.
        root = {"users": "", "lab": "lab/"}
        there = posixpath.relpath(root[there_site] + re.sub(r"\.md$", ".html", there), posixpath.dirname(root[site] + here))
        words = re.sub(r"`([^`]*)`", r"<code>\1</code>", words)
        return f'<a href="{there}{hash}{anchor}">{words}</a>'

    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    # Hidden lines of examples, as in rustdoc.
    parts[1::2] = [re.sub(r"^# .*\n", "", part, flags=re.M) if part.startswith("```rust") else part for part in parts[1::2]]
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)", link, parts[i])
        parts[i] = lists(parts[i])
        # In tables, GitHub needs a backslash before a bar even in code; mkdocs would show it.
        parts[i] = re.sub(r"^\|.*", lambda row: re.sub(r"`[^`]*`", lambda code: code.group().replace(r"\|", "|"), row.group()), parts[i], flags=re.M)
    return "".join(parts)


def main(out):
    files = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").rglob("*")) if path.is_file()]
    for name in files + BESIDE:
        site, path = place(name)
        target = out / site / path
        target.parent.mkdir(parents=True, exist_ok=True)
        content = (ROOT / name).read_bytes()
        target.write_bytes(relink(content.decode(), name).encode() if name.endswith(".md") else content)


main(Path(sys.argv[1]))
