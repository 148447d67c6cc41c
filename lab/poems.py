#!/usr/bin/env python3
"""Poems in two editions, as a labelled set of short texts: lab/poems.py CHINESE_POETRY POETRY OUT

CHINESE_POETRY and POETRY are checkouts of https://github.com/chinese-poetry/chinese-poetry (traditional characters) and
https://github.com/Werneror/Poetry (simplified ones). OUT gets pages.jsonl and gold.tsv: 4,000 poems of 20 to 80 characters that both collections have
under one author and title, each once, and 8,000 other poems of the first. Needs opencc-python-reimplemented.

    retold dedup OUT/pages.jsonl -o out --no-kept
    retold eval --pairs out/pairs.jsonl --gold OUT/gold.tsv --unlisted distinct
"""
import collections, csv, json, pathlib, random, re, sys
import opencc

FILES = ["隋末唐初.csv", "唐末宋初.csv", "宋末元初.csv", "宋末金初.csv"]
simplified = opencc.OpenCC("t2s").convert


def name(author, title):
    return author + "|" + re.sub(r"其|首|\s|[()（）·．.]", "", title)


def characters(text):
    return re.sub(r"[^\u3400-\u9fff\U00020000-\U0003ffff]", "", text)


def shared(a, b):
    """The share of the shorter poem's characters that are also in the other one, in any order."""
    both = collections.Counter(a) & collections.Counter(b)
    return sum(both.values()) / max(1, min(len(a), len(b)))


def main():
    first, second, out = map(pathlib.Path, sys.argv[1:])
    old, new = [], []
    paths = (first / "全唐诗").glob("poet.*.json")
    for path in sorted(paths, key=lambda path: path.name):
        old += [(poem["title"], poem["author"], "".join(poem["paragraphs"])) for poem in json.loads(path.read_text())]
    for file in FILES:
        rows = csv.reader((second / file).read_text().splitlines()[1:])
        new += [(title, author, text) for title, _, author, text in rows]

    by_name = collections.defaultdict(lambda: ([], []))
    for number, (title, author, _) in enumerate(new):
        by_name[name(author, title)][1].append(number)
    authors = {author for _, author, _ in new}
    spelled = {author: simplified(author) for author in {author for _, author, _ in old}}
    for number, (title, author, _) in enumerate(old):
        if spelled[author] in authors:
            by_name[name(spelled[author], simplified(title))][0].append(number)

    pairs = []
    for olds, news in by_name.values():
        if len(olds) == len(news) == 1:
            a, b = characters(simplified(old[olds[0]][2])), characters(new[news[0]][2])
            if 20 <= len(b) <= 80 and shared(a, b) >= 0.5:
                pairs.append((olds[0], news[0]))
    draw = random.Random(7)
    pairs = draw.sample(pairs, 4000)
    pages = {f"b{b}": new[b][2] for _, b in pairs}
    pages |= {f"a{a}": old[a][2] for a in [a for a, _ in pairs] + draw.sample(range(len(old)), 8000)}
    out.mkdir(exist_ok=True)
    lines = [json.dumps({"id": id, "text": text}, ensure_ascii=False) for id, text in pages.items() if text]
    (out / "pages.jsonl").write_text("\n".join(lines) + "\n")
    (out / "gold.tsv").write_text("".join(f"a{a}\tb{b}\tduplicate\n" for a, b in pairs))


main()
