"""Draws the results of benches/noise: recall at precision .999 against the share of wrong letters, a panel for each language and length.
Usage: noise_plot.py RESULTS.jsonl PICTURE.svg"""

import json, sys

import matplotlib
from matplotlib import pyplot

LANGUAGES = {"en": "English", "zh": "Chinese", "de": "German", "ko": "Korean"}
LENGTHS = {"short": "20–60 words", "middle": "60–120 words", "long": "300–600 words"}
STYLES = {"coverage": ("#c0392b", "o", 2.2), "retsim": ("#1f5fa8", "s", 1.4), "shingle": ("#e08a00", "^", 1.1), "concept": ("#7d3c98", "v", 1.1), "simhash": ("#5d6d7e", "D", 1.1),
          "datasketch": ("#1e8449", "<", 1.1), "rensa": ("#45b39d", ">", 1.1), "text-dedup": ("#935116", "x", 1.1)}

rows = [json.loads(line) for line in open(sys.argv[1])]
languages, lengths, methods = ([name for name in names if any(row[field] == name for row in rows)]
                               for names, field in ((LANGUAGES, "language"), (LENGTHS, "length"), (STYLES, "method")))
rates = sorted({row["rate"] for row in rows})
# Text stays text, and the same results give the same bytes.
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "noise", "font.family": "sans-serif", "font.size": 8})
figure, panels = pyplot.subplots(len(lengths), len(languages), sharex=True, sharey=True, squeeze=False, figsize=(10, 0.9 + 2 * len(lengths)))
for line, length in zip(panels, lengths):
    for panel, language in zip(line, languages):
        for method in reversed(methods):
            cells = {row["rate"]: row for row in rows if (row["method"], row["language"], row["length"]) == (method, language, length)}
            recall = {rate: sum(cell.get("best", cell["usual"]).values()) / sum(cell["of"].values()) for rate, cell in sorted(cells.items())}
            colour, marker, width = STYLES[method]
            panel.plot([rates.index(rate) for rate in recall], list(recall.values()), color=colour, marker=marker, markersize=3.2 if method in ("coverage", "retsim") else 0, linewidth=width, label=method)
        panel.set_xticks(range(len(rates)), [f"{rate:g} %" for rate in rates])
        panel.set_ylim(-0.04, 1.04)
        panel.grid(alpha=0.25)
        panel.set_title(f"{LANGUAGES[language]}, {LENGTHS[length]}", fontsize=8)
handles, labels = panels[0][0].get_legend_handles_labels()
figure.legend(handles[::-1], labels[::-1], loc="lower center", ncols=len(labels), frameon=False)
figure.supylabel("recall at precision .999", fontsize=8)
figure.tight_layout(rect=(0, 0.14 / len(lengths), 1, 1))
figure.savefig(sys.argv[2], metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
