"""Checks every link of the built sites: the file and the heading must exist, and nothing may be loaded from another site."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src")}


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id" or (tag, name) == ("a", "name"):
                self.ids.add(value)
            elif (tag, name) in LOADED and dict(attrs).get("rel") != "canonical":
                self.loads.append(value)
            elif (tag, name) == ("a", "href"):
                self.links.append(value)


def main(root):
    pages = {path: Page(path) for path in root.rglob("*.html")}
    wrong = []
    for path, page in pages.items():
        for link in page.loads + page.links:
            at = urlsplit(link or "")
            if at.scheme in ("http", "https", "mailto", "data") or at.netloc:
                if link in page.loads and at.scheme != "data":
                    wrong.append(f"{path}: loads {link}")
                continue
            target = (path.parent / unquote(at.path)).resolve() if at.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                wrong.append(f"{path}: {link} leads nowhere")
            elif at.fragment and target in pages and unquote(at.fragment) not in pages[target].ids:
                wrong.append(f"{path}: {link}: no such heading")
    print(f"{len(pages)} pages", file=sys.stderr)
    sys.exit("\n".join(sorted(wrong)) or 0)


main(Path(sys.argv[1]).resolve())
