from typing import Any

from pyspark.sql import DataFrame

from ._retold import Model

__all__ = ["Found", "dedup"]

class Found:
    pairs: DataFrame
    clusters: DataFrame
    dropped: DataFrame
    rejects: DataFrame
    kept: DataFrame
    model: Model
    report: dict[str, Any]
    def __init__(
        self,
        pairs: DataFrame,
        clusters: DataFrame,
        dropped: DataFrame,
        rejects: DataFrame,
        kept: DataFrame,
        model: Model,
        report: dict[str, Any],
        held: list[DataFrame],
    ) -> None: ...
    def unpersist(self) -> None: ...

def dedup(
    dataframe: DataFrame,
    *,
    model: Model | None = None,
    learn_pages: int = 1_000_000,
    partitions: int | None = None,
    **options: Any,
) -> Found: ...
