"""The data set in the words of schema.org, for search engines: in the page of downloads, and as the head of the
Croissant file. Nothing in it is outside text but the names of keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import orjson
from markupsafe import Markup

from dataset.canonical import Json
from publisher.exports.address import located
from publisher.exports.citation import citations
from publisher.exports.identity import latest_signers, series_id
from publisher.exports.interface import ExportSource
from publisher.rendering.page_names import DOWNLOADS
from publisher.rendering.visible_text import plain

# What would end the element, or a line, where HTML or an old script reads it.
_IN_HTML = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


@dataclass(frozen=True, kw_only=True, slots=True)
class DataFile:
    """A file to take along."""

    name: str
    title: str
    media_type: str
    size: int
    sha256: str


def head(source: ExportSource) -> dict[str, Json]:
    """What is said of the whole: name, version, date, and who signed it. No licence: a snapshot doesn't say one."""
    index = source.snapshot.index
    described: dict[str, Json] = {
        "name": f"glassbench-{series_id(index)[:8]}",
        "alternateName": "Glassbench evaluation results" + (" (synthetic)" if source.snapshot.synthetic else ""),
        "description": "Results of evaluating language models and agents, with the evidence of every run: "
        f"{sum(entry.runs for entry in index.reports)} runs in {len(index.reports)} batches."
        + (" Made with scripted models: they say nothing about any model." if source.snapshot.synthetic else ""),
        "version": f"{source.release}.0.0",
        "inLanguage": ["en", "zh"],
        "keywords": ["evaluation", "benchmark", "language models", "agents"],
    }
    if index.releases:
        described["datePublished"] = index.releases[0].published_at
        described["dateModified"] = index.releases[-1].published_at
    signers = latest_signers(source.snapshot)
    if signers:
        described["creator"] = [{"@type": "Organization", "name": plain(name)} for name in signers]
    if source.address is not None:
        described["url"] = source.address.of(DOWNLOADS)
    return described


def latest_citation(source: ExportSource) -> str | None:
    """The BibTeX entry of the latest release."""
    return next((citation.bibtex for citation in citations(source)), None)


def in_page(source: ExportSource, files: Sequence[DataFile]) -> Markup:
    """The text of a `script` element of type `application/ld+json`: data, which no browser runs."""
    described: Json = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        **head(source),
        "distribution": [
            {
                "@type": "DataDownload",
                "name": file.name,
                "description": file.title,
                "contentUrl": located(source.address, file.name),
                "encodingFormat": file.media_type,
                "contentSize": f"{file.size} B",
                "sha256": file.sha256,
            }
            for file in files
        ],
    }
    text = orjson.dumps(described, option=orjson.OPT_INDENT_2).decode()
    # Markup: no character that HTML takes for anything is left in it.
    return Markup("".join(_IN_HTML.get(character, character) for character in text))
