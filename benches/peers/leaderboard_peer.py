"""A peer of the leaderboard on the main texts of a set, as its own documentation uses it.
Usage: leaderboard_peer.py NAME TEXTS.jsonl PAIRS.jsonl

rensa, datasketch and gaoya are indexes of sets: they get runs of five words. datatrove, text-dedup and passim are programs: they get the texts,
and cut them themselves; semhash gets the texts and an embedding, and retsim is a model, for which a cosine of .9 is a near-duplicate. datatrove, text-dedup and semhash give clusters: all pairs of a cluster are written.
TEXTS stands in a folder that may be written to."""

import itertools, json, sys
from collections import defaultdict
from pathlib import Path

name, texts, pairs = sys.argv[1:]
pages = [page for page in map(json.loads, open(texts)) if page["text"].strip()]
work = Path(texts).parent / name


def spaced(text):
    return len(text) < 12 * (text.count(" ") + 1)


def shingles(page):
    text = page["text"].lower()
    # Words, or characters if there are few spaces.
    words = text.split() if spaced(text) else [c for c in text if not c.isspace()]
    return sorted({" ".join(words[i : i + 5]) for i in range(max(1, len(words) - 4))})


def clusters(labelled):
    members = defaultdict(list)
    for page, label in labelled:
        members[label].append(page)
    return (pair for pages in members.values() for pair in itertools.combinations(pages, 2))


def rensa():
    from rensa import RMinHash, RMinHashLSH
    lsh, hashes = RMinHashLSH(threshold=0.8, num_perm=128, num_bands=32), []
    for number, page in enumerate(pages):
        hash = RMinHash(num_perm=128, seed=42)
        hash.update(shingles(page))
        lsh.insert(number, hash)
        hashes.append(hash)
    return ((a, b) for a, hash in enumerate(hashes) for b in lsh.query(hash) if hash.jaccard(hashes[b]) >= 0.8)


def datasketch():
    from datasketch import MinHash, MinHashLSH
    lsh, hashes = MinHashLSH(threshold=0.8, num_perm=128), []
    for number, page in enumerate(pages):
        hash = MinHash(num_perm=128)
        hash.update_batch([s.encode() for s in shingles(page)])
        lsh.insert(number, hash)
        hashes.append(hash)
    return ((a, b) for a, hash in enumerate(hashes) for b in lsh.query(hash) if hash.jaccard(hashes[b]) >= 0.8)


def gaoya():
    from gaoya.minhash import MinHashStringIndex
    index, found = MinHashStringIndex(analyzer=lambda tokens: tokens), []
    for number, page in enumerate(pages):
        tokens = shingles(page)
        found += [(number, earlier) for earlier in index.query(tokens)]
        index.insert_document(number, tokens)
    return found


def datatrove():
    from datatrove.data import Document
    from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupSignature
    language = "en" if 2 * sum(spaced(page["text"]) for page in pages) > len(pages) else "zh"
    documents = (Document(text=page["text"], id=page["id"]) for page in pages)
    MinhashDedupSignature(f"{work}/signatures", language=language).run(documents)
    buckets = MinhashConfig().num_buckets
    for bucket in range(buckets):
        MinhashDedupBuckets(f"{work}/signatures", f"{work}/buckets").run(None, bucket, buckets)
    MinhashDedupCluster(f"{work}/buckets", f"{work}/clusters", save_cluster_id=True).run()
    import numpy
    return clusters(numpy.fromfile(work / "clusters/000000.clusters", "<u4").reshape(-1, 2).tolist())


def text_dedup():
    import pickle
    from text_dedup.minhash import main
    work.mkdir(exist_ok=True)
    # Its loader infers types, and fails on a title that is first null and later a string.
    (work / "in.jsonl").write_text("".join(json.dumps({"text": page["text"]}) + "\n" for page in pages))
    main(f"--path json --data_files {work}/in.jsonl --split train --cache_dir {work}/cache --output {work}/out --column text --num_proc 1 --debug".split(),
         standalone_mode=False)
    with open(work / "out/uf.pkl", "rb") as file:
        found = pickle.load(file)
    return clusters((page, found.find(page)) for page in list(found.parent))


def semhash():
    import wordllama
    from semhash import SemHash

    class Encoder:
        # The default is downloaded from a hub. This static embedding is part of a package that looks for the tokenizer in the wrong folder.
        embedding = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)

        def encode(self, inputs, **_):
            # One at a time, because a batch is padded to its longest text.
            return self.embedding.embed(list(inputs), batch_size=1)

    records = [{"number": str(number), "text": page["text"]} for number, page in enumerate(pages)]
    found = SemHash.from_records(records, columns=["text"], model=Encoder()).self_deduplicate()
    gone = ((copy.record, copy.duplicate_of) for copy in found.filtered)
    kept = ((record, record) for record in found.selected)
    return clusters((int(record["number"]), stays["number"]) for record, stays in itertools.chain(gone, kept))


def retsim():
    import numpy
    from unisim import TextSim
    model, vectors = TextSim(use_accelerator=False), numpy.empty((len(pages), 256), dtype=numpy.float32)
    # Pages of about one length together, because a batch is one run of the model.
    order = sorted(range(len(pages)), key=lambda number: len(pages[number]["text"]))
    for at in range(0, len(order), 16):
        vectors[order[at : at + 16]] = model.embed([pages[number]["text"] for number in order[at : at + 16]])
    vectors /= numpy.linalg.norm(vectors, axis=1, keepdims=True)
    for at in range(0, len(vectors), 500):
        first, second = numpy.nonzero(vectors[at : at + 500] @ vectors.T >= 0.9)
        yield from zip((first + at).tolist(), second.tolist())


def passim():
    import os
    from passim.seriatim import main
    from pyspark.sql import SparkSession
    os.environ["PYSPARK_PYTHON"] = sys.executable
    work.mkdir(exist_ok=True)
    (work / "in.json").write_text("".join(json.dumps({"id": number, "text": page["text"]}) + "\n" for number, page in enumerate(pages)))
    # Stops before clustering passages, because Spark needs a package for that which is not on PyPI.
    main(["--all-pairs", "--to-extents", f"{work}/in.json", f"{work}/out"])
    spark = SparkSession.builder.getOrCreate()
    number = {page.uid: page.id for page in spark.read.json(f"{work}/in.json").selectExpr("id", "xxhash64(id) as uid").collect()}
    found = [(number[row.uid], number[row.uid2]) for row in spark.read.load(f"{work}/out/tmp/extents.parquet").select("uid", "uid2").distinct().collect()]
    spark.stop()
    # The Java process must end before this one, so that its CPU time is counted.
    spark.sparkContext._gateway.shutdown()
    spark.sparkContext._gateway.proc.stdin.close()
    spark.sparkContext._gateway.proc.wait()
    return found


found = {"rensa": rensa, "datasketch": datasketch, "gaoya": gaoya, "datatrove": datatrove, "text-dedup": text_dedup, "semhash": semhash, "retsim": retsim, "passim": passim}[name]()
with open(pairs, "w") as out:
    for a, b in sorted({tuple(sorted((pages[a]["id"], pages[b]["id"]))) for a, b in found if a != b}):
        out.write(json.dumps({"a": a, "b": b, "relation": "duplicate", "similarity": 1.0, "length_ratio": 1.0, "shared": 0}) + "\n")
