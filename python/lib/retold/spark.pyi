from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame

from ._retold import Model, _Cluster, _Collections, _Drop, _Extract, _Fold, _Path, _SameUrl, _Versions

__all__ = ["Findings", "dedup"]

class Findings:
    pairs: DataFrame
    clusters: DataFrame
    dropped: DataFrame
    versions: DataFrame
    rejects: DataFrame
    kept: DataFrame
    model: Model
    summary: dict[str, Any]
    def __init__(
        self,
        pairs: DataFrame,
        clusters: DataFrame,
        dropped: DataFrame,
        versions: DataFrame,
        rejects: DataFrame,
        kept: DataFrame,
        model: Model,
        summary: dict[str, Any],
        held: list[DataFrame],
    ) -> None: ...
    def unpersist(self) -> None: ...

def dedup(
    dataframe: DataFrame,
    *,
    model: Model | None = None,
    learn_pages: int = 1_000_000,
    partitions: int | None = None,
    text_field: str = "text",
    skip_roles: Sequence[str] = ...,
    html_field: str = "html",
    id_field: str = "id",
    url_field: str = "url",
    date_field: str = "date",
    title_field: str = "title",
    site_field: str | None = None,
    site_dir: int | None = None,
    status: str = "200",
    delimiter: str | None = None,
    quote: str = '"',
    max_record_size: int | str = 67108864,
    across: str | None = None,
    within: Sequence[str] = ...,
    window: str | None = None,
    same_url: _SameUrl = "off",
    versions: _Versions = "newest",
    fold: Sequence[_Fold] = ...,
    extract: _Extract | None = None,
    user_dict: _Path | None = None,
    synonyms: _Path | None = None,
    stop_words: _Path | None = None,
    knowledge: _Path | None = None,
    method: str = "coverage",
    preset: str | None = None,
    params: Mapping[str, str | float] = ...,
    own: int | str | None = None,
    exact: bool = True,
    cluster: _Cluster = "two-edge",
    canonical: str = "longest",
    rank: _Path | None = None,
    drop: _Drop = "both",
    collections: _Collections = "parts",
) -> Findings: ...
