"""rensa as its documentation uses it: pages whose estimated resemblance of lower-cased word 5-grams is at least 0.8.
Usage: rensa_peer.py PAGES.jsonl PAIRS.tsv"""

import sys

import orjson
from rensa import RMinHash, RMinHashLSH

pages, pairs = sys.argv[1:]
ids, hashes = [], []
lsh = RMinHashLSH(threshold=0.8, num_perm=128, num_bands=32)
with open(pages, "rb") as lines:
    for number, line in enumerate(lines):
        page = orjson.loads(line)
        words = page["text"].lower().split()
        minhash = RMinHash(num_perm=128, seed=42)
        minhash.update([" ".join(words[i : i + 5]) for i in range(len(words) - 4)])
        lsh.insert(number, minhash)
        ids.append(page["id"])
        hashes.append(minhash)
with open(pairs, "w") as out:
    for a, minhash in enumerate(hashes):
        for b in lsh.query(minhash):
            if ids[a] < ids[b] and minhash.jaccard(hashes[b]) >= 0.8:
                out.write(f"{ids[a]}\t{ids[b]}\n")
