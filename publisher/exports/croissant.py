"""The data set for machine learning tools: Croissant 1.1 of MLCommons.

Every file that has an address of its own is named with its sha256; the run files stand in the archive, whose sha256
covers them, and each in `SHA256SUMS`. https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dataset.canonical import Json
from publisher.exports.address import located
from publisher.exports.archive import ARCHIVE
from publisher.exports.csv_form import csv_name
from publisher.exports.document import json_document
from publisher.exports.interface import ExportFile, ExportSource
from publisher.exports.structured_data import DataFile, head, latest_citation
from publisher.exports.tables.catalogue import TABLES
from publisher.exports.tables.interface import Column, Kind, Table

CROISSANT = "croissant.json"
CONFORMS_TO = "http://mlcommons.org/croissant/1.1"
_DATA_TYPES: Mapping[Kind, str] = {
    "id": "sc:Text",
    "text": "sc:Text",
    "integer": "sc:Integer",
    "decimal": "sc:Float",
    "boolean": "sc:Boolean",
    "time": "sc:DateTime",
    "list": "sc:Text",
}
_OWN_TERMS = (
    "arrayShape",
    "citeAs",
    "column",
    "containedIn",
    "equivalentProperty",
    "extract",
    "field",
    "fileProperty",
    "fileObject",
    "fileSet",
    "format",
    "includes",
    "isArray",
    "isLiveDataset",
    "jsonPath",
    "key",
    "md5",
    "parentField",
    "path",
    "recordSet",
    "references",
    "regex",
    "repeated",
    "replace",
    "samplingRate",
    "separator",
    "source",
    "subField",
    "transform",
)
"""Terms of the specification's context (its appendix 1) that stand in its own namespace under their own name."""
_CONTEXT: Json = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    "sc": "https://schema.org/",
    **{term: f"cr:{term}" for term in _OWN_TERMS},
}


def croissant(source: ExportSource, files: Sequence[DataFile], folder: str) -> ExportFile:
    """`croissant.json`; `folder` is the one at the top of the archive."""
    described: dict[str, Json] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        **head(source),
        "isLiveDataset": False,
        "distribution": [*(_file(file, source) for file in files), _run_files(folder)],
        "recordSet": [_record_set(table) for table in TABLES],
    }
    citation = latest_citation(source)
    if citation is not None:
        described["citeAs"] = citation
    return ExportFile(
        name=CROISSANT,
        title="Description for machine learning tools (Croissant)",
        media_type=f'application/ld+json; profile="{CONFORMS_TO}"',
        data=json_document(described),
    )


def _file(file: DataFile, source: ExportSource) -> Json:
    return {
        "@type": "cr:FileObject",
        "@id": file.name,
        "name": file.name,
        "description": file.title,
        "contentUrl": located(source.address, file.name),
        "contentSize": f"{file.size} B",
        "encodingFormat": file.media_type,
        "sha256": file.sha256,
    }


def _run_files(folder: str) -> Json:
    return {
        "@type": "cr:FileSet",
        "@id": "run-files",
        "name": "run-files",
        "description": "The artifact of every run, or what stands in the place of a withdrawn one.",
        "containedIn": {"@id": ARCHIVE},
        "encodingFormat": "application/json",
        "includes": f"{folder}/snapshot/runs/*.json",
    }


def _record_set(table: Table[Any]) -> Json:
    return {
        "@type": "cr:RecordSet",
        "@id": table.id,
        "name": table.id,
        "description": table.description,
        "key": [{"@id": f"{table.id}/{name}"} for name in table.key],
        "field": [_field(table, column) for column in table.columns],
    }


def _field(table: Table[Any], column: Column[Any]) -> Json:
    return {
        "@type": "cr:Field",
        "@id": f"{table.id}/{column.name}",
        "name": column.name,
        "description": column.description,
        "dataType": _DATA_TYPES[column.kind],
        "source": {"fileObject": {"@id": csv_name(table)}, "extract": {"column": column.name}},
    }
