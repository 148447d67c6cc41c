from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from os import PathLike
from typing import Any, Literal, Protocol, TypeAlias, final

__version__: str
__all__ = [
    "Blocks",
    "CorruptError",
    "Deciding",
    "FAMILY",
    "FileError",
    "Findings",
    "HEAVY",
    "Index",
    "InternalError",
    "Judgement",
    "Meeting",
    "Model",
    "Numbers",
    "Passages",
    "Reader",
    "RetoldError",
    "RetoldWarning",
    "Sketch",
    "Table",
    "Text",
    "UsageError",
    "Verdict",
    "Versions",
    "__version__",
    "_judgement",
    "_table",
    "_text",
    "_verdict",
    "blocks",
    "connected",
    "counts_own",
    "decoded",
    "decontaminate",
    "dedup",
    "deletes",
    "explain",
    "passages",
    "fingerprint_rows",
    "heavy_rows",
    "judge_rows",
    "key_rows",
    "learn_sketches",
    "more_fields",
    "name_rows",
    "posting_rows",
    "read",
    "sample",
    "sketch_rows",
    "text",
    "unit_rows",
    "verifies",
]

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _LazyFrame(Protocol):
    def collect(self) -> Any: ...
    def collect_schema(self) -> Any: ...

_Path: TypeAlias = str | PathLike[str]
_Columns: TypeAlias = Mapping[str, Sequence[Any] | _ArrowStream | _ArrowArray]
_Pages: TypeAlias = _Path | Iterable[_Path] | Iterable[Mapping[str, Any]] | _Columns | _LazyFrame | _ArrowStream | _ArrowArray
_Page: TypeAlias = str | bytes | Mapping[str, Any]
_Progress: TypeAlias = bool | Callable[[str, int, int], object] | None
_Fold: TypeAlias = Literal["nfkc", "case", "simplify", "serbian"]
_Extract: TypeAlias = Literal["none", "main", "precise"]
_SameUrl: TypeAlias = Literal["off", "exact", "normalised", "loose", "canonical"]
_Versions: TypeAlias = Literal["newest", "keep"]
_Cluster: TypeAlias = Literal["two-edge", "per-page", "components"]
_Drop: TypeAlias = Literal["both", "duplicate", "overlaps", "all"]
_Collections: TypeAlias = Literal["parts", "whole"]
_Names: TypeAlias = Literal["retold", "datatrove"]
_Tables: TypeAlias = Literal["jsonl", "csv", "csv-raw", "parquet"]
_Relation: TypeAlias = Literal["duplicate", "contains", "contained_by", "overlaps"]

class RetoldError(Exception): ...
class UsageError(RetoldError): ...
class FileError(RetoldError): ...
class CorruptError(RetoldError): ...
class InternalError(RetoldError): ...
class RetoldWarning(UserWarning): ...

@final
class Table:
    @property
    def column_names(self) -> list[str]: ...
    def column(self, name: str) -> list[Any]: ...
    def to_pylist(self) -> list[dict[str, Any]]: ...
    def _repr_html_(self) -> str: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...

@final
class Findings:
    def _repr_html_(self) -> str: ...
    @property
    def pairs(self) -> Table: ...
    @property
    def stories(self) -> Table: ...
    @property
    def clusters(self) -> Table: ...
    @property
    def dropped(self) -> Table: ...
    @property
    def versions(self) -> Table: ...
    @property
    def kept(self) -> Table: ...
    @property
    def rejects(self) -> Table: ...
    @property
    def summary(self) -> dict[str, Any]: ...
    @property
    def model(self) -> Model: ...
    def sample(self, n: int = 10, *, seed: int = 0) -> list[dict[str, Any]]: ...
    def explain(self, id: str) -> dict[str, Any]: ...

@final
class Text:
    @property
    def visible(self) -> str: ...
    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str | None: ...
    @property
    def lang(self) -> str | None: ...
    @property
    def charset(self) -> str | None: ...
    @property
    def date(self) -> str | None: ...
    @property
    def url(self) -> str | None: ...
    @property
    def site(self) -> str | None: ...

@final
class Sketch:
    @property
    def keys(self) -> list[int]: ...
    @property
    def site(self) -> str | None: ...
    @property
    def chars(self) -> int: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Sketch: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Verdict:
    @property
    def relation(self) -> _Relation: ...
    @property
    def similarity(self) -> float: ...
    @property
    def length_ratio(self) -> float: ...
    @property
    def shared(self) -> int: ...
    @property
    def own_a(self) -> int: ...
    @property
    def own_b(self) -> int: ...

@final
class Judgement:
    @property
    def answer(self) -> Literal["no", "yes", "needs_verification"]: ...
    @property
    def verdict(self) -> Verdict | None: ...

@final
class Model:
    def __new__(
        cls,
        *,
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
    ) -> Model: ...
    def text(self, page: _Page) -> Text: ...
    def sketch(self, page: _Page | Text) -> Sketch: ...
    def judge(self, a: Sketch, b: Sketch) -> Judgement: ...
    def verify(self, a: _Page | Text, b: _Page | Text) -> Verdict | None: ...
    def compare(self, a: _Page | Text, b: _Page | Text) -> Verdict | None: ...
    def explain(self, a: _Page | Text, b: _Page | Text) -> dict[str, Any]: ...
    def learn(
        self, pages: _Pages, *, threads: int = 0, temp_dir: _Path | None = None, progress: _Progress = None
    ) -> Model: ...
    @property
    def learnt(self) -> int | None: ...
    @property
    def method(self) -> str: ...
    @property
    def options(self) -> dict[str, Any]: ...
    def to_json(self) -> str: ...
    @staticmethod
    def from_json(json: str, directory: _Path | None = None) -> Model: ...
    def save(self, path: _Path) -> None: ...
    @staticmethod
    def load(path: _Path) -> Model: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class Index:
    def __new__(cls, path: _Path, *, write: bool = False) -> Index: ...
    @staticmethod
    def create(
        path: _Path,
        *,
        model: Model | None = None,
        texts: bool = True,
        learns: bool = True,
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
    ) -> Index: ...
    def add(
        self, pages: _Pages, *, matches: int = 20, commit: int = 1000, progress: _Progress = None
    ) -> list[dict[str, Any]]: ...
    def query(
        self, pages: _Pages, *, matches: int = 20, adds: bool = False, progress: _Progress = None
    ) -> list[dict[str, Any]]: ...
    def seen(self, pages: _Pages, *, progress: _Progress = None) -> Table: ...
    def remove(self, ids: Sequence[str]) -> list[bool]: ...
    def export(self, *, threads: int = 0, progress: _Progress = None) -> Findings: ...
    def explain(self, a: str, b: str) -> dict[str, Any]: ...
    def stories(
        self, *, sort: Literal["size", "recent", "growth"] = "size", since: str | date | None = None, limit: int = 100, skip: int = 0
    ) -> list[dict[str, Any]]: ...
    def story(self, id: str, *, limit: int | None = None, skip: int = 0, edits: bool = False) -> dict[str, Any]: ...
    @property
    def stats(self) -> dict[str, Any]: ...
    @property
    def model(self) -> Model: ...
    def refresh(self) -> None: ...
    def compact(self, *, progress: _Progress = None) -> None: ...
    def learn(self, *, threads: int = 0, progress: _Progress = None) -> None: ...
    def close(self) -> None: ...
    def __getitem__(self, key: str, /) -> dict[str, Any]: ...
    def __contains__(self, key: str, /) -> bool: ...
    def __len__(self) -> int: ...
    def __enter__(self) -> Index: ...
    def __exit__(self, *_error: object) -> None: ...

@final
class Reader:
    def __iter__(self) -> Reader: ...
    def __next__(self) -> dict[str, Any]: ...

def dedup(
    pages: _Pages,
    *,
    model: Model | None = None,
    out: _Path | None = None,
    force: bool = False,
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
@final
class Blocks:
    @property
    def blocks(self) -> Table: ...
    @property
    def spans(self) -> Table: ...
    @property
    def dropped(self) -> Table: ...

def blocks(
    pages: _Pages,
    *,
    unit: Literal["line", "paragraph", "sentence", "passage"] = "paragraph",
    passage_words: int = 25,
    scope: Literal["site", "collection"] = "site",
    keep: str = "one",
    canonical: str = "earliest,first",
    min_chars: int | None = None,
    min_words: int = 5,
    text: bool = False,
    threads: int = 0,
    memory: int | str | None = None,
    temp_dir: _Path | None = None,
    allow_empty: bool = False,
    progress: _Progress = None,
    **options: Any,
) -> Blocks: ...
@final
class Passages:
    @property
    def passages(self) -> Table: ...
    @property
    def pairs(self) -> Table: ...
    @property
    def copies(self) -> Table: ...
    @property
    def common(self) -> Table: ...

def passages(
    pages: _Pages,
    *,
    min_words: int = 25,
    min_chars: int = 40,
    max_df: int = 20,
    gap: int = 100,
    source_overlap: float = 0.9,
    target_overlap: float = 0.5,
    text: bool = False,
    model: Model | None = None,
    threads: int = 0,
    memory: int | str | None = None,
    temp_dir: _Path | None = None,
    allow_empty: bool = False,
    progress: _Progress = None,
    **options: Any,
) -> Passages: ...
def explain(
    a: _Page,
    b: _Page,
    *,
    model: Model | None = None,
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
) -> dict[str, Any]: ...
def text(
    page: _Page,
    *,
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
) -> Text: ...
def read(
    paths: _Path | Iterable[_Path],
    *,
    on_reject: Callable[[str, int, str], object] | None = None,
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
) -> Reader: ...
def decontaminate(
    corpus: _Path | Iterable[_Path],
    benchmarks: _Path | Iterable[_Path],
    *,
    out: _Path,
    force: bool = False,
    threshold: float = 0.7,
    question_fields: Sequence[str] | None = None,
    answer_fields: Sequence[str] | None = None,
    passage_fields: Sequence[str] | None = None,
    item_id_field: str = "id",
    kept: bool = True,
    threads: int = 0,
    allow_empty: bool = False,
    progress: _Progress = None,
    extract: _Extract | None = "main",
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
) -> dict[str, Any]: ...
def sample(
    pages: _Path | Iterable[_Path],
    weights: Mapping[int, float],
    *,
    out: _Path,
    by: Literal["size", "pages", "sites", "inputs"] = "size",
    seed: int = 0,
    size_field: str | None = None,
    force: bool = False,
    progress: _Progress = None,
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
) -> dict[str, int]: ...
def decoded(bytes: bytes) -> str: ...

# Functions that restore pickled values.

def _verdict(relation: str, similarity: float, length_ratio: float, shared: int, own_a: int = 0, own_b: int = 0) -> Verdict: ...
def _judgement(answer: str, verdict: tuple[str, float, float, int] | None) -> Judgement: ...
def _text(
    options: str, bytes: bytes, id: str, site: str | None, date: str | None, url: str | None, seen: list[int]
) -> Text: ...
def _table(columns: list[tuple[str, str, list[Any]]]) -> Table: ...

FAMILY: int
HEAVY: int

# Functions for `retold.spark`. Batches are pyarrow batches; streams have the PyCapsule interface.

@final
class Numbers:
    def __new__(cls, rows: _ArrowStream) -> Numbers: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Numbers: ...
    def __len__(self) -> int: ...

@final
class Meeting:
    def __new__(cls) -> Meeting: ...
    def push(self, rows: _ArrowArray) -> Any: ...
    def finish(self) -> Any: ...

@final
class Versions:
    def __new__(cls, model: Model) -> Versions: ...
    def push(self, rows: _ArrowArray) -> Any: ...
    def finish(self) -> Any: ...

@final
class Deciding:
    def __new__(cls, model: Model) -> Deciding: ...
    def push(self, rows: _ArrowArray) -> Any: ...
    def finish(self) -> Any: ...

def sketch_rows(model: Model, rows: _ArrowArray) -> Any: ...
def learn_sketches(model: Model, rows: _ArrowStream) -> Model: ...
def unit_rows(model: Model, rows: _ArrowArray) -> Any: ...
def key_rows(rows: _ArrowArray) -> Any: ...
def posting_rows(model: Model, rows: _ArrowArray, heavy: Numbers) -> Any: ...
def heavy_rows(model: Model, rows: _ArrowArray, heavy: Numbers) -> Any: ...
def judge_rows(model: Model, rows: _ArrowArray) -> Any: ...
def connected(rows: _ArrowStream) -> Any: ...
def more_fields(model: Model) -> list[str]: ...
def deletes(model: Model) -> bool: ...
def verifies(model: Model) -> bool: ...
def counts_own(model: Model) -> bool: ...
def name_rows(rows: _ArrowArray) -> Any: ...
def fingerprint_rows(model: Model, rows: _ArrowArray, wanted: Numbers) -> Any: ...
