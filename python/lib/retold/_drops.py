"""Explanations of two pages, as notebooks show them."""

from html import escape

#: Characters shown of a stretch: of one that both pages have its beginning and end, of one that only one has more.
_SHARED, _OWN = 160, 1000


class Explanation(dict):
    """What `retold.explain` says, with `only_a` and `only_b`: the passages that only one of the two pages has."""

    def __init__(self, story):
        super().__init__(story)
        for side in ("a", "b"):
            self[f"only_{side}"] = [text.strip() for is_shared, text in _stretches(self, side) if not is_shared]

    def _repr_html_(self):
        a, b = self["a"]["id"], self["b"]["id"]
        names = f"<b>{escape(a)}</b>", f"<b>{escape(b)}</b>"
        dropped = self.get("dropped")
        if dropped:
            line = f"{names[0]} was dropped for {names[1]}: {dropped['relation']}, {dropped['lost']} words lost"
            if dropped["parts"]:
                line += f", {dropped['parts']} kept pages together have all of it"
        else:
            line = f"{names[0]} to {names[1]}: {self['relation'] or 'not related'}"
        if self["similarity"] is not None:
            line += f", similarity {self['similarity']:.2f}"
        cells = "".join(f'<td style="text-align: left; vertical-align: top; width: 50%">{_marked(self, side)}</td>' for side in ("a", "b"))
        more = [self.get("filter"), self["remark"], *(check["line"] for check in self["checks"])]
        more = "".join(f"<li>{escape(said)}</li>" for said in more if said)
        return (
            f"<p>{line}</p><table><thead><tr><th>{names[0]}</th><th>{names[1]}</th></tr></thead><tbody><tr>{cells}</tr></tbody></table>"
            f"<ul>{more}</ul>"
        )


class Sample(list):
    """Explanations of drops."""

    def _repr_html_(self):
        return "<hr>".join(drop._repr_html_() for drop in self) or "<p>no drops, or only exact copies</p>"


def _stretches(story, side):
    """The text of a page in stretches, each with whether the other page has it too. What has no letters or digits counts as shared."""
    text, end = story[side]["text"], 0
    for begin, after in sorted(passage[side] for passage in story["passages"]):
        if begin > end:
            yield not _says(text[end:begin]), text[end:begin]
        if after > end:
            yield True, text[max(begin, end) : after]
            end = after
    yield not _says(text[end:]), text[end:]


def _says(text):
    return any(map(str.isalnum, text))


def _marked(story, side):
    """The text of a page with what only it has marked, and long stretches shortened."""
    pieces = []
    for is_shared, text in _stretches(story, side):
        most = _SHARED if is_shared else _OWN
        if len(text) > most:
            text = f"{text[: most // 2].rstrip()} … {text[-(most // 2) :].lstrip()}"
        text = escape(text).replace("\n", "<br>")
        pieces.append(text if is_shared else f"<mark>{text}</mark>")
    return "".join(pieces)
