"""Cleans a Parquet corpus: python examples/clean_parquet.py CORPUS.parquet CLEAN.parquet

The corpus has a column `text`, and may have `id`, `url` and `date`. What was dropped, and for which page, goes to
CLEAN.parquet.dropped.parquet. Needs: pip install ./python polars
"""

import sys

import polars
import retold

corpus_file, clean_file = sys.argv[1:]

# 1. Read the corpus, and give pages an id if they have none.
corpus = polars.read_parquet(corpus_file)
if "id" not in corpus.columns:
    corpus = corpus.with_row_index("id").with_columns(polars.col("id").cast(polars.String))
if corpus["id"].is_duplicated().any():
    sys.exit(f"{corpus_file}: ids are not unique; rename the column `id`, then pages are numbered")

# 2. Find the copies. Tables go in and out as Arrow data.
found = retold.dedup(corpus, progress=True)
print(found)

# 3. Remove them. Pages that cannot be read (no text) are neither kept nor dropped; here they are removed too.
clean = corpus[found.kept.column("row")]
clean.write_parquet(clean_file)

# 4. Write down the decisions: which page was dropped, for which page, and why.
dropped = polars.DataFrame(found.dropped)
dropped.write_parquet(f"{clean_file}.dropped.parquet")
for gone in dropped.head(3).to_dicts():
    print(f"{gone['id']} is {gone['relation'].replace('_', ' ')} {gone['canonical']}")
print(f"{corpus.height} pages, {clean.height} kept, {dropped.height} dropped, {len(found.rejects)} rejected")
