import abc
import inspect
from collections.abc import Mapping, Sequence

from datatrove.data import DocumentsPipeline
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.writers.disk_base import DiskWriter

from ._retold import Model, _Cluster, _Collections, _Drop, _Extract, _Fold, _Path, _Progress, _SameUrl, _Versions

__all__ = ["Dedup"]

class Dedup(PipelineStep, metaclass=abc.ABCMeta):
    __signature__: inspect.Signature
    name: str
    type: str
    exclusion_writer: DiskWriter | None
    def __init__(
        self,
        exclusion_writer: DiskWriter | None = None,
        *,
        model: Model | None = None,
        threads: int = 0,
        memory: int | str | None = None,
        temp_dir: _Path | None = None,
        allow_empty: bool = False,
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
    ) -> None: ...
    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline: ...
