"""A peer of benches/noise. Usage: noise_peer.py NAME FOLDER...

For each folder's pages.jsonl, NAME-usual.jsonl gets the pairs that the peer reports at its usual setting (leaderboard_peer.py has the same), and
NAME-scores.jsonl, if it has scores, the best scores of pairs with an edited text, whose id ends with ~. Texts that several folders have are sketched once."""

import functools, itertools, json, sys
from pathlib import Path

import numpy

name, *folders = sys.argv[1:]


def shingles(text):
    text = text.lower()
    # Words, or characters if there are few spaces.
    words = text.split() if len(text) < 12 * (text.count(" ") + 1) else [c for c in text if not c.isspace()]
    return sorted({" ".join(words[i:i + 5]) for i in range(max(1, len(words) - 4))})


def min_hashes(make, lsh):
    """Resemblance .8 of runs of five words as estimated from 128 hashes."""
    make = functools.cache(make)

    def pairs(pages):
        hashes, index, found = [make(page["text"]) for page in pages], lsh(), []
        for at, hash in enumerate(hashes):
            found += [(at, earlier) for earlier in index.query(hash) if hash.jaccard(hashes[earlier]) >= 0.8]
            index.insert(at, hash)
        values = numpy.array([hash.digest() for hash in hashes])
        return found, lambda at: (values == values[at]).mean(axis=1)

    return pairs


def rensa():
    from rensa import RMinHash, RMinHashLSH

    def make(text):
        hash = RMinHash(num_perm=128, seed=42)
        hash.update(shingles(text))
        return hash

    return min_hashes(make, lambda: RMinHashLSH(threshold=0.8, num_perm=128, num_bands=32))


def datasketch():
    from datasketch import MinHash, MinHashLSH

    def make(text):
        hash = MinHash(num_perm=128)
        hash.update_batch([shingle.encode() for shingle in shingles(text)])
        return hash

    return min_hashes(make, lambda: MinHashLSH(threshold=0.8, num_perm=128))


def retsim():
    """Cosine .9 of the embeddings of whole texts, which are the means of those of 512 characters each."""
    from unisim import TextSim
    model, known = TextSim(use_accelerator=False), {}

    def pairs(pages):
        new = sorted({page["text"] for page in pages} - known.keys(), key=len)
        for at in range(0, len(new), 64):
            known.update(zip(new[at:at + 64], model.embed(new[at:at + 64])))
        vectors = numpy.array([known[page["text"]] for page in pages], dtype=numpy.float32)
        vectors /= numpy.linalg.norm(vectors, axis=1, keepdims=True)
        found = []
        for at in range(0, len(vectors), 500):
            first, second = numpy.nonzero(vectors[at:at + 500] @ vectors.T >= 0.9)
            found += [(a, b) for a, b in zip((first + at).tolist(), second.tolist()) if b < a]
        return found, lambda at: vectors @ vectors[at]

    return pairs


def text_dedup():
    """Clusters of pages; no scores."""
    import pickle
    from text_dedup.minhash import main
    work = Path(folders[0]) / "text-dedup"

    def pairs(pages):
        work.mkdir(exist_ok=True)
        (work / "in.jsonl").write_text("".join(json.dumps({"text": page["text"]}) + "\n" for page in pages))
        main(f"--path json --data_files {work}/in.jsonl --split train --cache_dir {work}/cache --output {work}/out --column text --num_proc 1 --debug".split(),
             standalone_mode=False)
        with open(work / "out/uf.pkl", "rb") as file:
            found = pickle.load(file)
        clusters = {}
        for page in list(found.parent):
            clusters.setdefault(found.find(page), []).append(page)
        return [pair for members in clusters.values() for pair in itertools.combinations(members, 2)], None

    return pairs


pairs = {"rensa": rensa, "datasketch": datasketch, "retsim": retsim, "text-dedup": text_dedup}[name]()
for folder in map(Path, folders):
    pages = [json.loads(line) for line in open(folder / "pages.jsonl")]
    found, scores = pairs(pages)
    ids = [page["id"] for page in pages]
    with open(folder / f"{name}-usual.jsonl", "w") as out:
        for a, b in found:
            out.write(json.dumps({"a": min(ids[a], ids[b]), "b": max(ids[a], ids[b])}) + "\n")
    if scores:
        # A method is as good as the first few wrong pairs let it be, so that the ten best of each edited text are enough.
        with open(folder / f"{name}-scores.jsonl", "w") as out:
            for at, id in enumerate(ids):
                if id.endswith("~"):
                    values = scores(at)
                    for other in numpy.argsort(-values, kind="stable")[:11].tolist():
                        if other != at:
                            out.write(json.dumps({"a": min(id, ids[other]), "b": max(id, ids[other]), "similarity": float(values[other])}) + "\n")
