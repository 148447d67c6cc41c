from collections.abc import Callable, Mapping, Sequence
from typing import Any

from duckdb import DuckDBPyConnection, DuckDBPyRelation

from . import _retold
from ._retold import (
    Index,
    Model,
    _Cluster,
    _Collections,
    _Drop,
    _Extract,
    _Fold,
    _Names,
    _Path,
    _Progress,
    _SameUrl,
    _Tables,
    _Versions,
)

__all__ = ["Findings", "dedup", "register"]

class Findings:
    kept: DuckDBPyRelation
    dropped: DuckDBPyRelation
    pairs: DuckDBPyRelation
    clusters: DuckDBPyRelation
    versions: DuckDBPyRelation
    rejects: DuckDBPyRelation
    summary: dict[str, Any]
    model: Model
    sample: Callable[..., list[dict[str, Any]]]
    explain: Callable[[str], dict[str, Any]]
    def __init__(self, connection: DuckDBPyConnection, found: _retold.Findings, kept: DuckDBPyRelation) -> None: ...

def register(connection: DuckDBPyConnection, index: Index, name: str = "retold_seen") -> None: ...
def dedup(
    connection: DuckDBPyConnection,
    pages: str,
    *,
    model: Model | None = None,
    threads: int = 0,
    memory: int | str | None = None,
    temp_dir: _Path | None = None,
    allow_empty: bool = False,
    progress: _Progress = None,
    kept: bool = True,
    mark: bool = False,
    annotate: bool = False,
    annotate_as: str | None = None,
    stories: bool = False,
    revisits: bool = False,
    names: _Names = "retold",
    tables: _Tables = "jsonl",
    report_text: int | None = None,
    alarm_size: int = 1000,
    stop_if: Sequence[str] = ...,
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
