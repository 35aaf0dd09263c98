"""Reads one `models.toml`: its models, prices and exchange rates as far as they are sound, and every fault of the rest.

A model names a price of its own file by id (`price = "…"`); what it names is put in its place here.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from dataset.measures.exchange import FxSnapshot
from engine.providers.model_entry import ModelEntry
from engine.providers.price_entry import PriceEntry, exact
from engine.providers.registry_fault import Place, RegistryFault, validation_faults
from engine.providers.toml_lines import TableLines, table_lines

_NAMED_BY = {"models": "key", "prices": "id", "fx": "pair"}
"""The tables of a registry file, and which setting names each."""
_SYNTAX_LINE = re.compile(r"\s*\(at line (\d+), column \d+\)")

R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True, kw_only=True, slots=True)
class Placed(Generic[R]):
    """A sound record and the table that it was read from."""

    record: R
    place: Place


@dataclass(kw_only=True, slots=True)
class RegistryFile:
    """What one file holds."""

    models: list[Placed[ModelEntry]] = field(default_factory=list)
    prices: list[Placed[PriceEntry]] = field(default_factory=list)
    rates: list[Placed[FxSnapshot]] = field(default_factory=list)
    faults: list[RegistryFault] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Table:
    body: dict[str, Any]
    place: Place


def read_registry_file(file: Path) -> RegistryFile:
    """The sound tables of a file and the faults of the others."""
    try:
        text = file.read_text(encoding="utf-8")
        document = tomllib.loads(text, parse_float=Decimal)
    except OSError as error:
        return _unreadable(file, f"can't be read: {error.strerror}")
    except UnicodeDecodeError:
        return _unreadable(file, "is not UTF-8")
    except tomllib.TOMLDecodeError as error:
        return RegistryFile(faults=[_syntax_fault(file, str(error))])
    found = RegistryFile()
    for name in document.keys() - _NAMED_BY.keys():
        message = f"unknown table: a file has {', '.join(f'[[{kind}]]' for kind in _NAMED_BY)}"
        found.faults.append(RegistryFault(file=file, line=None, field=name, message=message))
    lines = table_lines(text, _NAMED_BY)
    tables = {kind: _tables(file, kind, document.get(kind, []), lines[kind], found.faults) for kind in _NAMED_BY}
    found.prices = _records(PriceEntry, tables["prices"], found.faults)
    found.rates = _records(FxSnapshot, [_with_exact_rate(table) for table in tables["fx"]], found.faults)
    priced = [_with_its_price(table, tables["prices"], found) for table in tables["models"]]
    found.models = _records(ModelEntry, priced, found.faults)
    return found


def _tables(file: Path, kind: str, value: Any, lines: list[TableLines], faults: list[RegistryFault]) -> list[_Table]:
    if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
        message = f"must be tables, each under its own [[{kind}]]"
        faults.append(RegistryFault(file=file, line=None, field=kind, message=message))
        return []
    # Tables spelled in a way that the line finder doesn't know (inline) are still read, only without lines.
    known = lines if len(lines) == len(value) else [TableLines(start=0) for _ in value]
    return [
        _Table(body=_plain(table), place=Place(file=file, kind=kind, name=table.get(_NAMED_BY[kind]), lines=where))
        for table, where in zip(value, known, strict=True)
    ]


def _records(record: type[R], tables: Iterable[_Table], faults: list[RegistryFault]) -> list[Placed[R]]:
    placed: list[Placed[R]] = []
    for table in tables:
        try:
            placed.append(Placed(record=record.model_validate(table.body), place=table.place))
        except ValidationError as error:
            faults.extend(validation_faults(table.place, record, error))
    return placed


def _with_exact_rate(table: _Table) -> _Table:
    body = {name: exact(value) if name == "rate" else value for name, value in table.body.items()}
    return _Table(body=body, place=table.place)


def _with_its_price(table: _Table, prices: Iterable[_Table], found: RegistryFile) -> _Table:
    """The table with the price that it names in the name's place. Where that price can't be had, its faults say so and
    the table goes on without one, so that its other faults are found too."""
    wanted = table.body.get("price")
    if not isinstance(wanted, str):
        return table
    sound = next((price for price in found.prices if price.record.id == wanted), None)
    if sound is None:
        if not any(price.place.name == wanted for price in prices):  # else its own fault has been told
            known = ", ".join(sorted(price.record.id for price in found.prices)) or "none"
            message = f"no [[prices]] table of this file has this id; known: {known}"
            found.faults.append(table.place.fault(message, setting="price"))
    elif sound.record.status == "archived" and table.body.get("status", "active") == "active":
        message = (
            f"{sound.place.subject} at {sound.place} is archived, so no active model can use it: "
            'name an active price, or set status = "archived" here too'
        )
        found.faults.append(table.place.fault(message, setting="price"))
    body = {name: value for name, value in table.body.items() if name != "price"}
    return _Table(body=body | ({"price": sound.record.price().body()} if sound else {}), place=table.place)


def _plain(value: Any) -> Any:
    """TOML's exact numbers and days as the text that the records keep."""
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, Decimal):
        return format(value, "f")
    return value.isoformat() if isinstance(value, date) else value


def _unreadable(file: Path, message: str) -> RegistryFile:
    return RegistryFile(faults=[RegistryFault(file=file, line=None, field="", message=message)])


def _syntax_fault(file: Path, message: str) -> RegistryFault:
    found = _SYNTAX_LINE.search(message)
    line = int(found[1]) if found else None
    return RegistryFault(file=file, line=line, field="", message=f"not valid TOML: {_SYNTAX_LINE.sub('', message)}")
