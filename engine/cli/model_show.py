"""`glassbench model show KEY`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from dataset.console import print_json, printable
from engine.cli.model_list import credential_text, model_id_text

if TYPE_CHECKING:
    from dataset.artifacts.price import Price, Rates, RateTable
    from engine.providers.model_entry import ModelEntry

_LABEL_WIDTH = 12


def model_show(
    key: Annotated[str, typer.Argument(help="The model's key; see `model list`.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show everything that the registry says of one model; its key is named, never shown."""
    from dataset.home import state_directory
    from engine.providers.registry import ModelRegistry

    entry = ModelRegistry.load(state_directory()).find(key)
    if as_json:
        print_json(entry.body())
        return
    for label, text in (*_identity(entry), *_calls(entry), *_prices(entry.price)):
        print(printable(f"{label:<{_LABEL_WIDTH}}{text}"))


def _identity(entry: ModelEntry) -> Iterator[tuple[str, str]]:
    synthetic = " (synthetic: its answers are written by hand)" if entry.synthetic else ""
    yield "model", f"{entry.key}: {entry.display_name}{synthetic}"
    yield "status", entry.status
    yield "roles", ", ".join(role for role in ("candidate", "judge") if getattr(entry, role))
    yield "family", entry.family
    yield "tier", entry.tier or "not stated"
    yield "provider", f"{entry.provider} (key for judge exclusion: {entry.provider_key or entry.provider})"
    yield "channel", entry.channel or "not stated (native)"
    yield "model id", model_id_text(entry)


def _calls(entry: ModelEntry) -> Iterator[tuple[str, str]]:
    yield "wire API", entry.wire_api
    if entry.synthetic:
        return
    limits = entry.timeout_seconds
    yield "address", entry.base_url or "none"
    yield "credential", credential_text(entry)
    yield "streaming", "yes" if entry.streaming else "no"
    yield "thinking", entry.thinking or "not stated (provider_default)"
    sent = entry.parameters.sent()
    yield "parameters", ", ".join(f"{name} = {value}" for name, value in sent.items()) or "none sent"
    yield "output cap", f"sent as {entry.output_limit_field}"
    yield "time limits", ", ".join(f"{name} {seconds:g} s" for name, seconds in limits.model_dump().items())
    yield "at once", f"{entry.concurrency} calls at most"
    yield "retries", f"{entry.max_retries} at most"


def _prices(price: Price | None) -> Iterator[tuple[str, str]]:
    if price is None:
        yield "price", "none: the cost of its runs is unknown, never 0"
        return
    yield "price", f"in {price.currency} per million tokens, as of {price.as_of}, from {price.source}"
    for text in _table_lines(price, indent=""):
        yield "", text
    for window in price.hours or ():
        yield "", f"from {window.starts} until {window.ends} {window.zone} instead:"
        for text in _table_lines(window, indent="  "):
            yield "", text


def _table_lines(table: RateTable, *, indent: str) -> Iterator[str]:
    yield indent + _rates_text(table)
    for tier in table.tiers or ():
        yield f"{indent}with more than {tier.above_input_tokens:,} input tokens: {_rates_text(tier)}"


def _rates_text(rates: Rates) -> str:
    cached = f" (cached {rates.cache_read_per_million})" if rates.cache_read_per_million else ""
    reasoning = f" (reasoning {rates.reasoning_per_million})" if rates.reasoning_per_million else ""
    return f"input {rates.input_per_million}{cached}, output {rates.output_per_million}{reasoning}"
