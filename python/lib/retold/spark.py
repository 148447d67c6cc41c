"""Deduplication on Apache Spark 4: `retold.spark.dedup(dataframe)`. It needs pyspark, pandas and pyarrow.

Spark finds the pairs of pages that may be related. The library then decides each connected component with the same code as a
collection on one machine, so pairs and kept pages are those of `retold.dedup` with the same model.

1. `_sketched` makes sketches of pages. Texts stay where they are.
   With `same_url`, `_versions` chooses the page that stands for each address; the others take no part in what follows.
2. `_learnt` learns on the driver what is common, from the sketches of all pages or of a sample of texts, unless a model is given.
3. `_heavy` finds heavy keys, which very many texts have. Joining on them would pair nearly all texts with each other.
4. `_meeting` joins texts on the other keys: the rarest keys of the smaller text with all keys of the larger one. `_judged` judges
   the candidates by their sketches. `_linked` adds pages that are connected by canonical links.
5. `_components` finds connected components by alternating stars, or on the driver if there are at most five million edges.
6. `_labels` says what is decided together. On one machine, components with heavy keys are decided in one sequence, because some
   posting lists are given up before all texts have read them. So here they go to one task, up to a million pages. If there are
   more, `_tied` connects texts that may share only heavy keys, and each component is decided by itself.
7. `_fingerprints` reads texts again, for components with more than one text, and sends their fingerprints to the components.
8. `_decided` decides each component in one task, many small components at a time.
"""

import tempfile
import time

import pyarrow
from pyspark import StorageLevel
from pyspark.sql import functions as F
from pyspark.sql import Window

from . import _retold
from ._options import options_of
from ._retold import Model, UsageError

__all__ = ["Findings", "dedup"]

#: Components with heavy keys are decided together if they have at most this many pages.
_TOGETHER = 1_000_000
#: Up to this many edges, components are found on the driver, with 32 bytes for each edge.
_ON_DRIVER = 5_000_000

_SKETCHED = (
    "id string, node bigint, date bigint, bytes bigint, site string, seen binary, sketch binary, text binary, address binary, "
    "linked binary, reason string"
)
_FOUND = (
    "kind string, a string, b string, relation string, similarity double, length_ratio double, shared bigint, "
    "own_a bigint, own_b bigint, lost bigint, parts bigint, members array<string>, "
    "pages bigint, sites bigint, inputs bigint, first_date string, last_date string"
)
_AGREEMENT = ["pages", "sites", "inputs", "first_date", "last_date", "lost"]
_PAIR = ["a", "b", "relation", "similarity", "length_ratio", "shared", "own_a", "own_b"]
_DROPPED = ["id", "canonical", "relation", "cluster", "cluster_size", "lost", "parts"]


class Findings:
    """The results of a run: the DataFrames `pairs`, `clusters`, `dropped`, `versions`, `rejects` (columns as in the tables of `retold.dedup`) and
    `kept` (the input rows that are kept), the `model`, and the statistics in `summary`. The names are as in `retold.Findings`.

    `unpersist()` frees the cached data of the run; the DataFrames cannot be used after that.
    """

    def __init__(self, pairs, clusters, dropped, versions, rejects, kept, model, summary, held):
        self.pairs, self.clusters, self.dropped, self.versions, self.rejects = pairs, clusters, dropped, versions, rejects
        self.kept, self.model, self.summary = kept, model, summary
        self._held = held

    def unpersist(self):
        for frame in self._held:
            frame.unpersist()

    def __repr__(self):
        records = self.summary["records"]
        return (
            f"<retold.spark.Findings: {records['read'] - records['rejected']} pages, {records['dropped']} dropped, "
            f"{self.summary['pairs']} pairs, {self.summary['clusters']} clusters>"
        )


def dedup(dataframe, *, model=None, learn_pages=1_000_000, partitions=None, **options):
    """Finds near-duplicates, reprints and contained pages in a DataFrame.

    The DataFrame has the string columns `text` (or `html`) and `id` or `url`, and may have `date`. Options are those of `retold.dedup`,
    with the same names (`text_field="content"`, `params={...}`). Ids must be unique. The DataFrame is read twice and must have the same
    rows both times; texts are read again only where sketches do not decide, and for `kept`.

    A `model` is used with what it has learnt. Without one, what is common is learnt from the sketches of all pages, as in
    `retold.dedup`, or from a sample of about `learn_pages` texts, chosen by hash, if there are more pages. `partitions` is the number
    of tasks of each shuffle (default: `spark.sql.shuffle.partitions`).

    Components are found in rounds, with a checkpoint after each: call `sparkContext.setCheckpointDir` with a folder that all workers
    can reach. With a local master, a temporary folder is made.
    """
    job = _Job(dataframe, model, partitions, options)
    job.learn_pages = learn_pages
    return job.run()


dedup.__signature__ = options_of(dedup, Model)


class _Job:
    def __init__(self, dataframe, model, partitions, options):
        if model is not None and options:
            raise UsageError(f"a model has its own options: leave out {', '.join(options)}")
        self.model = model or Model(**options)
        options = self.model.options
        self.drops_versions = options["same_url"] != "off" and options["versions"] == "newest"
        # Fails early for methods that need document frequencies before they can sketch.
        self.model.sketch("")
        self.spark = dataframe.sparkSession
        self.context = self.spark.sparkContext
        if not self.context.getCheckpointDir():
            if not self.context.master.startswith("local"):
                raise UsageError("call sparkContext.setCheckpointDir(folder) first, with a folder that all workers see")
            self.context.setCheckpointDir(tempfile.mkdtemp(prefix="retold-"))
        self.partitions = partitions or int(self.spark.conf.get("spark.sql.shuffle.partitions"))
        self.pages = dataframe
        self.columns = _columns(dataframe, self.model)
        self.held, self.report = [], {}
        self.started, self.shuffled = time.monotonic(), _shuffled(self.context)

    def run(self):
        sketched = self._held(self._sketched())
        self._check_ids(sketched)
        good = sketched.where("reason is null")
        self._lap("sketch")
        versions = self._versions(good)
        if self.drops_versions:
            good = good.join(versions.where("id != newest").select("id"), "id", "left_anti")
            self._lap("versions")
        self._learnt(good)
        self._lap("learn")
        units = self._held(self._units(good))
        heavy = self._heavy(units)
        edges = self._judged(units, self._meeting(units, heavy))
        if self.model.options["same_url"] == "canonical":
            edges = edges.unionByName(self._linked(good))
        edges = self._held(edges.distinct())
        self.report["edges"] = edges.count()
        self._lap("pairs")
        holders = self._held(self._map(units, "heavy_rows", "key bigint, node bigint, has bigint, wants bigint", heavy))
        labels = self._held(self._labels(good, edges, holders))
        self._lap("components")
        found = self._held(self._decided(good, labels))
        found.count()
        self._lap("decide")
        result = self._result(sketched, found, versions)
        self._lap("number")
        if "shuffled" in self.report:
            total = sum(self.report["shuffled"].values())
            self.report["shuffled_bytes"] = total
            self.report["shuffled_bytes_per_page"] = round(total / self.pages_read)
        return result

    def _lap(self, stage):
        now, shuffled = time.monotonic(), _shuffled(self.context)
        self.report.setdefault("seconds", {})[stage] = round(now - self.started, 3)
        if shuffled is not None:
            self.report.setdefault("shuffled", {})[stage] = shuffled - self.shuffled
        self.started, self.shuffled = now, shuffled

    def _held(self, frame):
        frame = frame.persist(StorageLevel.MEMORY_AND_DISK)
        self.held.append(frame)
        return frame

    def _map(self, frame, name, schema, *more):
        """Applies a function of the library to batches of rows, with the model."""
        model, more = self.shared, [self.context.broadcast(numbers.to_bytes()) for numbers in more]

        def work(batches):
            function, judge = getattr(_retold, name), _model(model)
            numbers = [_numbers(bytes) for bytes in more]
            for batch in batches:
                yield function(judge, batch, *numbers)

        return frame.mapInArrow(work, schema)

    def _stream(self, frame, schema, start):
        """Passes sorted rows through an object of the library that keeps state between batches."""
        model = self.shared

        def work(batches):
            state = start(model)
            for batch in batches:
                yield state.push(batch)
            yield state.finish()

        return frame.mapInArrow(work, schema)

    def _sketched(self):
        self.shared = self.context.broadcast(self.model.to_json())
        sketched = self._map(self.pages.select(*self.columns), "sketch_rows", _SKETCHED)
        return sketched.repartition(self.partitions, "node")

    def _check_ids(self, sketched):
        self.pages_read = sketched.where("reason is null").count()
        self.rejected = sketched.where("reason is not null").count()
        if not self.pages_read:
            first = sketched.select("reason").head()
            raise UsageError(f"no page could be read: {first.reason if first else 'the DataFrame is empty'}")
        twice = sketched.where("reason is null").groupBy("id").count().where("count > 1").head()
        if twice:
            raise UsageError(f"{twice['count']} pages have the id `{twice['id']}`: ids must be unique")

    def _versions(self, good):
        """The pages of each address that several pages have: `newest`, the page that stands for it, `id` and `date` of each."""
        several = good.where("address is not null").groupBy("address").count().where("count > 1").select("address")
        # What stands at several addresses may be a challenge or a login.
        texts = good.where("address is not null and text is not null").groupBy("text").agg(F.countDistinct("address").alias("places"))
        texts = texts.where("places > 1").select("text", F.lit(True).alias("elsewhere"))
        pages = good.join(several, "address", "left_semi").join(texts, "text", "left")
        pages = pages.select("address", "id", "date", "bytes", "site", "seen", "sketch", "elsewhere")
        pages = pages.repartition(self.partitions, "address").sortWithinPartitions("address", "id")
        return self._held(self._stream(pages, "newest string, id string, date string", lambda model: _retold.Versions(_model(model))))

    def _linked(self, good):
        """Texts of pages where the canonical link of one leads to the other, or both lead to one address."""
        ends = good.select("node", F.col("address").alias("end")).unionByName(good.select("node", F.col("linked").alias("end")))
        ends = ends.where("end is not null")
        first = ends.groupBy("end").agg(F.min("node").alias("b"))
        return ends.join(first, "end").select(F.col("node").alias("a"), "b").where("a != b")

    def _learnt(self, good):
        if self.model.learnt is None:
            every = -(-self.pages_read // max(1, self.learn_pages))
            # The sample has either all pages of a text or none.
            sample = good if every == 1 else good.where(F.pmod("node", F.lit(every)) == 0)
            self.model = _retold.learn_sketches(self.model, sample.select("site", "sketch").toArrow())
            self.shared = self.context.broadcast(self.model.to_json())
        self.report["learnt_texts"] = self.model.learnt

    def _units(self, good):
        """Each text with the sketches that are judged: one, or several if noise or main texts differ by site."""
        if _retold.deletes(self.model):
            units = self._map(good.select("node", "site", "sketch"), "unit_rows", "node bigint, sketch binary")
            good = units.repartition(self.partitions, "node")
        return good.select("node", "sketch").dropDuplicates()

    def _heavy(self, units):
        keys = units.select("sketch").mapInArrow(_keys, "key bigint")
        heavy = keys.groupBy("key").count().where(F.col("count") > _retold.HEAVY).select("key")
        heavy = _retold.Numbers(heavy.toArrow())
        self.report["heavy_keys"] = len(heavy)
        return heavy

    def _meeting(self, units, heavy):
        schema = "key bigint, node bigint, size bigint, reach bigint, prefix boolean"
        postings = self._map(units, "posting_rows", schema, heavy)
        postings = postings.repartition(self.partitions, "key").sortWithinPartitions("key")
        pairs = self._stream(postings, "a bigint, b bigint", lambda model: _retold.Meeting())
        return pairs.repartition(self.partitions, "a").dropDuplicates(["a", "b"])

    def _judged(self, units, pairs):
        a = units.select(F.col("node").alias("a"), F.col("sketch").alias("sketch_a"))
        b = units.select(F.col("node").alias("b"), F.col("sketch").alias("sketch_b"))
        both = pairs.join(a, "a").join(b, "b")
        both = both.select(F.col("a").alias("node_a"), "sketch_a", F.col("b").alias("node_b"), "sketch_b")
        return self._map(both, "judge_rows", "a bigint, b bigint")

    def _probing(self, holders):
        """Texts that may share only heavy keys: those that look for larger ones, and those that have enough keys to be found."""
        least = holders.groupBy("key").agg(F.min("wants").alias("least")).where("least is not null")
        return holders.join(F.broadcast(least), "key").where("wants is not null or has >= least")

    def _tied(self, holders):
        probing = self._probing(holders)
        first = probing.groupBy("key").agg(F.min("node").alias("b"))
        tied = probing.join(F.broadcast(first), "key").select(F.col("node").alias("a"), "b")
        return tied.where("a != b").distinct()

    def _components(self, edges):
        """`node` and `component` of all nodes with an edge. A component is named after its smallest node.

        Alternating large stars and small stars (Kiveris et al., Connected Components in MapReduce and Beyond, 2014).
        """
        if edges.count() <= _ON_DRIVER:
            components = pyarrow.Table.from_batches([_retold.connected(edges.toArrow())])
            return self.spark.createDataFrame(components)
        edges, rounds = edges.checkpoint(), 0
        before = _sum(edges)
        while True:
            both = edges.unionByName(edges.select(F.col("b").alias("a"), F.col("a").alias("b")))
            least = F.least("a", F.min("b").over(Window.partitionBy("a")))
            large = both.select("a", "b", least.alias("least")).where("b > a")
            large = large.select(F.col("b").alias("a"), F.col("least").alias("b")).where("a != b").distinct()
            least = F.min("b").over(Window.partitionBy("a"))
            small = large.select("a", "b", least.alias("least"))
            small = small.select(F.when(F.col("b") == F.col("least"), F.col("a")).otherwise(F.col("b")).alias("a"), F.col("least").alias("b"))
            edges = small.distinct().checkpoint()
            rounds += 1
            after = _sum(edges)
            if after == before:
                break
            before = after
        self.report["rounds"] = rounds
        roots = edges.select(F.col("b").alias("node"), F.col("b").alias("component")).distinct()
        return edges.select(F.col("a").alias("node"), F.col("b").alias("component")).unionByName(roots)

    def _labels(self, good, edges, holders):
        """The texts to decide: `node`, `component`, the `first` of its pages, and `near` (whether it has possible relatives)."""
        texts = good.groupBy("node").agg(F.count("*").alias("pages"), F.min("id").alias("first"))
        probing = self._probing(holders).select("node", F.lit(True).alias("probes")).distinct()
        holding = holders.select("node", F.lit(True).alias("holds")).distinct().join(probing, "node", "left")
        texts = texts.join(self._components(edges), "node", "left").join(holding, "node", "left")
        texts = self._held(texts.where("component is not null or holds or pages > 1"))
        texts = texts.withColumn("component", F.coalesce("component", "node"))
        # Components that one machine decides in one sequence: with heavy keys, or large (where two exact copies count as one).
        size, holds = F.sum(F.ceil(F.col("pages") / 2)), F.max(F.coalesce("holds", F.lit(False)))
        sizes = texts.groupBy("component").agg(size.alias("size"), holds.alias("heavy"), F.sum("pages").alias("all"), F.count("*").alias("texts"))
        sizes = self._held(sizes.withColumn("together", F.expr(f"heavy or size > {_retold.FAMILY}")))
        together = sizes.where("together").agg(F.sum("all")).head()[0] or 0
        self.report["together"] = together
        if together > _TOGETHER:
            labels = self._components(edges.unionByName(self._tied(holders)).distinct())
            texts = texts.drop("component").join(labels, "node", "left").where("component is not null or pages > 1")
            texts = texts.withColumn("component", F.coalesce("component", "node"))
            near = F.count("*").over(Window.partitionBy("component")) > 1
            return texts.select("node", "component", "first", near.alias("near"))
        texts = texts.join(sizes.select("component", "together", "texts"), "component")
        near = F.expr("texts > 1 or coalesce(probes, false)")
        component = F.when(F.col("together"), F.lit(0)).otherwise(F.col("component"))
        return texts.select("node", component.cast("bigint").alias("component"), "first", near.alias("near"))

    def _fingerprints(self, labels):
        named = labels.where("near").select(F.col("first").alias("id"), "component")
        wanted = _retold.Numbers(named.mapInArrow(_names, "name bigint, component bigint").toArrow())
        self.report["texts"] = len(wanted)
        pages = self.pages.select(*self.columns)
        return self._map(pages, "fingerprint_rows", "component bigint, id string, fingerprint binary", wanted)

    def _decided(self, good, labels):
        pages = good.join(labels.select("node", "component"), "node")
        pages = pages.select("component", "id", "date", "bytes", "site", "seen", "sketch", F.lit(None).cast("binary").alias("fingerprint"))
        if _retold.verifies(self.model):
            none = {name: F.lit(None).cast(kind).alias(name) for name, kind in
                    (("date", "bigint"), ("bytes", "bigint"), ("site", "string"), ("seen", "binary"), ("sketch", "binary"))}
            pages = pages.unionByName(self._fingerprints(labels).select("component", "id", *none.values(), "fingerprint"))
        pages = pages.repartition(self.partitions, "component").sortWithinPartitions("component", "id")
        return self._stream(pages, _FOUND, lambda model: _retold.Deciding(_model(model)))

    def _result(self, sketched, found, versions):
        pairs = found.where("kind = 'pair'").select(*_PAIR)
        clusters = found.where("kind = 'cluster'").select(F.col("a").alias("canonical"), "members", *_AGREEMENT)
        clusters = self._numbered(clusters)
        dropped = found.where("kind = 'dropped'").select(F.col("a").alias("id"), F.col("b").alias("canonical"), "relation", "lost", "parts")
        if self.drops_versions:
            # A version goes for the newest, or for the page that this goes for.
            gone = dropped.select(F.col("id").alias("newest"), F.col("canonical").alias("instead"))
            older = versions.where("id != newest").join(gone, "newest", "left")
            none = F.lit(None).cast("bigint").alias("parts")
            older = older.select("id", F.coalesce("instead", "newest").alias("canonical"), F.lit("same_url").alias("relation"), F.lit(0).alias("lost"), none)
            dropped = dropped.unionByName(older)
        members = clusters.select(F.explode("members").alias("id"), "cluster", F.size("members").cast("bigint").alias("cluster_size"))
        dropped = dropped.join(members, "id", "left").fillna(1, "cluster_size").select(*_DROPPED)
        rejects = sketched.where("reason is not null").select("id", "reason")
        summary = self._summary(pairs, dropped, versions)
        kept = self._kept(sketched, dropped)
        return Findings(pairs, clusters, dropped, versions, rejects, kept, self.model, summary, self.held)

    def _summary(self, pairs, dropped, versions):
        """Statistics, with the names of `summary.json`; `run` is still filled in afterwards."""
        relations = {"duplicate": 0, "contains": 0, "overlaps": 0}
        for relation, count in pairs.groupBy("relation").count().collect():
            relations["contains" if relation == "contained_by" else relation] += count
        losing = F.when(F.col("lost") > 0, F.col("lost"))
        gone, *lost = dropped.agg(F.count("*"), F.count(losing), F.sum(losing), F.max(losing)).head()
        records = {
            "read": self.pages_read + self.rejected,
            "kept": self.pages_read - gone,
            "dropped": gone,
            "rejected": self.rejected,
        }
        summary = {"records": records, "pairs": sum(relations.values()), "relations": relations}
        if _retold.counts_own(self.model):
            summary["lost"] = dict(zip(("pages", "words", "largest"), (count or 0 for count in lost)))
        if self.model.options["same_url"] != "off":
            addresses, pages = versions.agg(F.countDistinct("newest"), F.count("*")).head()
            summary["same_url"] = {"addresses": addresses, "dropped": pages - addresses if self.drops_versions else 0}
        return summary | {"clusters": self.clusters, "parameters": self.model.options, "run": self.report}

    def _kept(self, sketched, dropped):
        """The input rows that are kept."""
        read = self.model.options
        names = [read[name] for name in ("id_field", "url_field") if read[name] in self.pages.columns]
        own = F.coalesce(*(F.when(F.col(name).cast("string") != "", F.col(name).cast("string")) for name in names))
        good = sketched.where("reason is null").select(F.col("id").alias("retold_id"))
        kept = good.join(dropped.select(F.col("id").alias("retold_id")), "retold_id", "left_anti")
        pages = self.pages.withColumn("retold_id", own)
        return pages.join(kept, "retold_id", "left_semi").drop("retold_id")

    def _numbered(self, clusters):
        """Numbers clusters from 0, in the order of their smallest members."""
        ordered = clusters.repartitionByRange(self.partitions, F.col("members")[0]).sortWithinPartitions(F.col("members")[0])
        ordered = self._held(ordered.withColumn("part", F.spark_partition_id()))
        sizes = {row.part: row["count"] for row in ordered.groupBy("part").count().collect()}
        self.clusters = sum(sizes.values())
        starts, start = {}, 0
        for part in sorted(sizes):
            starts[part], start = start, start + sizes[part]
        place = F.row_number().over(Window.partitionBy("part").orderBy(F.col("members")[0])) - 1
        begin = F.create_map(*(F.lit(value) for pair in starts.items() for value in pair)) if starts else None
        number = (F.element_at(begin, F.col("part")) + place if starts else place).cast("bigint")
        return ordered.select(number.alias("cluster"), "canonical", "members", *_AGREEMENT)


def _columns(dataframe, model):
    """The columns to read, as strings."""
    read = model.options
    names = [read[f"{name}_field"] for name in ("text", "html", "id", "url", "date", "site") if read[f"{name}_field"]]
    names += _retold.more_fields(model)
    there = dict.fromkeys(name for name in names if name in dataframe.columns)
    for group, what in ((("text_field", "html_field"), "pages"), (("id_field", "url_field"), "ids")):
        if not any(read[name] in there for name in group):
            wanted = " or ".join(f"{name}={read[name]!r}" for name in group)
            raise UsageError(f"no column for {what} among {', '.join(dataframe.columns)}: name one with {wanted}")
    return [F.col(name).cast("string").alias(name) for name in there]


def _keys(batches):
    for batch in batches:
        yield _retold.key_rows(batch)


def _names(batches):
    for batch in batches:
        yield _retold.name_rows(batch)


def _sum(edges):
    """A fingerprint of a set of edges: equal sets have equal values."""
    row = edges.select(F.count("*"), F.sum(F.xxhash64("a", "b").cast("decimal(38,0)"))).head()
    return tuple(row)


#: Cache of broadcast models, one in each worker process, by their JSON.
_made = {}


def _model(shared):
    key = ("model", shared.value)
    if key not in _made:
        _made.clear()
        _made[key] = Model.from_json(shared.value)
    return _made[key]


def _numbers(shared):
    return _retold.Numbers.from_bytes(shared.value)


def _shuffled(context):
    """Bytes written to shuffles so far by all executors, including lost ones; None if Spark does not say."""
    try:
        executors = context._jsc.sc().statusStore().executorList(False)
        return sum(executors.apply(at).totalShuffleWrite() for at in range(executors.size()))
    except Exception:
        return None
