"""Measures `retold.spark.dedup`, and compares it with the local run: docs/lab/scale.md.

    python lab/spark.py PAGES.jsonl [--workers 1 2] [--counts 25000 50000] [--partitions 8] [--input-partitions 8] [--kill] [--local] [--share 0.3] [--preset ccdet]

Prints one line of JSON for each run; `--workers 0` runs `retold.dedup` on this machine. `examples/cluster.rs` draws the runs. `--local` compares pairs, clusters, dropped and kept pages with those of `retold.dedup`, with the model that Spark learnt;
`--kill` kills a worker after stages of pairs have begun; `--share` gives each worker this share of a core, so that more of them fit on a small machine beside the
driver (Linux, control groups of version 1, root). Needs: pip install ./python pyspark pyarrow
"""

import argparse
import contextlib
import itertools
import json
import pathlib
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python" / "tests"))

import retold
import retold.spark
from cluster import cluster, session


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pages")
    parser.add_argument("--workers", type=int, nargs="+", default=[2])
    parser.add_argument("--counts", type=int, nargs="+", default=[0])
    parser.add_argument("--partitions", type=int, nargs="+", default=[8])
    parser.add_argument("--input-partitions", type=int, nargs="+", default=[8])
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--local", action="store_true")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--share", type=float)
    parser.add_argument("--folder")
    parser.add_argument("--preset")
    args = parser.parse_args()
    for workers in args.workers:
        with tempfile.TemporaryDirectory(dir=args.folder, ignore_cleanup_errors=True) as folder:
            folder = pathlib.Path(folder)
            if not workers:
                for count in args.counts * args.repeat:
                    alone(folder, count, args)
                continue
            with cluster(folder, workers) as running, contextlib.ExitStack() as shares:
                if args.share:
                    for worker in running.workers:
                        shares.enter_context(bounded(worker.pid, args.share))
                spark = session(running.url, folder, memory="3g")
                # The first job of a cluster also starts executors and Python, and runs code that is not compiled yet.
                some = str(folder / "some.parquet")
                spark.read.json(args.pages).limit(1000).write.parquet(some)
                retold.spark.dedup(spark.read.parquet(some), partitions=4, preset=args.preset).unpersist()
                splits = list(zip(args.input_partitions, args.partitions, strict=True))
                runs = [(count, *split) for count in args.counts for split in splits]
                for count, into, out in runs * args.repeat:
                    measure(spark, running, folder, workers, count, into, out, args)
                spark.stop()


@contextlib.contextmanager
def bounded(worker, share):
    """Limits a worker, and the executor that it starts, to a share of a core."""
    group = pathlib.Path(f"/sys/fs/cgroup/cpu/retold-{worker}")
    group.mkdir()
    (group / "cpu.cfs_quota_us").write_text(str(round(share * int((group / "cpu.cfs_period_us").read_text()))))
    (group / "cgroup.procs").write_text(str(worker))
    try:
        yield
    finally:
        # Only empty groups can be removed.
        for process in (group / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                (group.parent / "cgroup.procs").write_text(process)
        group.rmdir()


def measure(spark, running, folder, workers, count, into, out, args):
    pages = spark.read.json(args.pages)
    pages = pages.limit(count) if count else pages
    file = folder / f"pages-{count}-{into}.parquet"
    if not file.exists():
        pages.repartition(into).write.parquet(str(file))
    pages = spark.read.parquet(str(file))
    if args.kill:
        threading.Thread(target=kill, args=(spark, running), daemon=True).start()
    begun, before = time.monotonic(), task_seconds(spark)
    found = retold.spark.dedup(pages, partitions=out, preset=args.preset)
    seconds, tasks = time.monotonic() - begun, task_seconds(spark) - before
    line = {"pages": count, "workers": workers, "share": args.share, "partitions": [into, out], "seconds": round(seconds, 1), "task_seconds": round(tasks, 1)}
    line["summary"] = found.summary
    if args.kill:
        executors = spark.sparkContext._jsc.sc().statusStore().executorList(False)
        line["executors lost"] = sum(not executors.apply(at).isActive() for at in range(executors.size()))
    if args.local:
        line["equal"] = equal(found, pages)
    print(json.dumps(line), flush=True)
    found.unpersist()


def alone(folder, count, args):
    file = folder / "pages.jsonl"
    with open(args.pages) as lines, open(file, "w") as some:
        some.writelines(itertools.islice(lines, count or None))
    begun = time.monotonic()
    found = retold.dedup(file, preset=args.preset)
    seconds = round(time.monotonic() - begun, 1)
    print(json.dumps({"pages": count, "workers": 0, "seconds": seconds, "pairs": len(found.pairs.column("a"))}), flush=True)


def task_seconds(spark):
    """Core seconds of all tasks so far, including Python; an executor has one core."""
    executors = spark.sparkContext._jsc.sc().statusStore().executorList(False)
    executors = [executors.apply(at) for at in range(executors.size())]
    # For the driver, this is the time since its start.
    return sum(executor.totalDuration() for executor in executors if executor.id() != "driver") / 1000


def kill(spark, running):
    tracker = spark.sparkContext.statusTracker()
    first = spark.sparkContext._jsc.sc().dagScheduler().nextJobId()
    while True:
        if spark.sparkContext._jsc.sc().dagScheduler().nextJobId() > first + 6:
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            if any(stage and stage.numCompletedTasks > 1 for stage in stages):
                running.kill_worker()
                return
        time.sleep(0.02)


def equal(found, pages):
    names = ("pairs", "clusters", "dropped")
    local = retold.dedup(pages.toArrow(), model=found.model)
    same = {}
    for name in names:
        rows = getattr(found, name).toArrow().to_pylist()
        expected = getattr(local, name).to_pylist()
        same[name] = sorted(map(str, rows)) == sorted(map(str, expected))
        same[f"{name} found"] = len(rows)
        if not same[name]:
            a, b = set(map(str, rows)), set(map(str, expected))
            same[f"{name} differ"] = [len(a - b), len(b - a), sorted(a - b)[:2], sorted(b - a)[:2]]
    same["kept"] = sorted(row.id for row in found.kept.select("id").collect()) == sorted(local.kept.column("id"))
    return same


if __name__ == "__main__":
    main()
