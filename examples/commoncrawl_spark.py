"""Removes the copies from WARC files of a crawl on Apache Spark.

    spark-submit --archives retold.zip#packages --conf spark.executorEnv.PYTHONPATH=packages \\
        examples/commoncrawl_spark.py 's3a://commoncrawl/crawl-data/CC-MAIN-.../*.warc.gz' OUT

OUT/pages gets the pages as Parquet, OUT/kept the pages that stay, OUT/dropped and OUT/pairs the decisions. docs/guide/python.md says how
the package gets to the executors. On one machine: python examples/commoncrawl_spark.py WARCS OUT --master 'local[*]'
"""

import argparse
import pathlib
import tempfile

import pyarrow
import retold
import retold.spark
from pyspark.sql import SparkSession

ROWS = 500


def pages_of(files):
    """WARC files, each a row with `path` and `content`, become pages: `id`, `url`, `date`, `html`, `text`."""
    for batch in files:
        for file in batch.to_pylist():
            name = file["path"].rsplit("/", 1)[-1]
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, name)
                path.write_bytes(file["content"])
                rows = []
                # Records that are no pages (requests, images, robots.txt) are passed over; so are, here, those that are damaged.
                for number, page in enumerate(retold.read(path, on_reject=lambda *told: None), 1):
                    # A crawl can hold a URL twice, and ids must be unique.
                    page["id"] = f"{name}#{number}"
                    rows.append({field: page.get(field) for field in ("id", "url", "date", "html", "text")})
                    if len(rows) == ROWS:
                        yield batch_of(rows)
                        rows = []
                yield batch_of(rows)


def batch_of(rows):
    fields = [(name, pyarrow.string()) for name in ("id", "url", "date", "html", "text")]
    return pyarrow.RecordBatch.from_pylist(rows, pyarrow.schema(fields))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("warcs")
    parser.add_argument("out")
    parser.add_argument("--master")
    parser.add_argument("--partitions", type=int, help="tasks of each shuffle; a task should have 100 MB or so")
    args = parser.parse_args()
    builder = SparkSession.builder.appName("retold")
    spark = (builder.master(args.master) if args.master else builder).getOrCreate()
    spark.sparkContext.setCheckpointDir(f"{args.out}/checkpoints")

    # 1. WARC files become rows, once: what follows reads them more than once. One file a task.
    files = spark.read.format("binaryFile").load(args.warcs).select("path", "content")
    files.mapInArrow(pages_of, "id string, url string, date string, html string, text string").write.parquet(f"{args.out}/pages")
    pages = spark.read.parquet(f"{args.out}/pages")

    # 2. Find the copies.
    found = retold.spark.dedup(pages, partitions=args.partitions)

    # 3. Keep what stays, and what was decided.
    found.kept.write.parquet(f"{args.out}/kept")
    found.dropped.write.parquet(f"{args.out}/dropped")
    found.pairs.write.parquet(f"{args.out}/pairs")
    records, run = found.summary["records"], found.summary["run"]
    print(f"{records['read']} pages, {records['dropped']} dropped, {run['shuffled_bytes_per_page']} bytes shuffled a page")


if __name__ == "__main__":
    main()
