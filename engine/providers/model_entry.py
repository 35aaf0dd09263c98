"""One model of the registry: what it is, where it answers, how it is asked and what it costs."""

from __future__ import annotations

import re
from decimal import Decimal
from ipaddress import ip_address
from typing import Annotated, Any, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import BeforeValidator, Field, StringConstraints, field_validator, model_validator

from dataset.artifacts.artifact import Count
from dataset.artifacts.definition import FrozenModel, Thinking, Tier, Weights, WireApi
from dataset.artifacts.price import Price
from dataset.record import DecimalText, Record, Slug
from engine.providers.price_entry import Status, exact, exact_rates

OutputLimitField = Literal["max_tokens", "max_completion_tokens"]

NAME_PATTERN = r"^[a-z0-9][a-z0-9.-]{0,63}$"
MODEL_ID_PATTERN = r"^[\x21-\x7e]{1,256}$"
DISPLAY_PATTERN = r"^[^\x00-\x1f\x7f]{1,100}$"
EFFORT_PATTERN = r"^[a-z]{1,16}$"

_Name = Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
_ModelId = Annotated[str, StringConstraints(pattern=MODEL_ID_PATTERN)]
_Seconds = Annotated[float, Field(gt=0, le=1800)]
_Whole = Field(strict=True)
_Flag = Annotated[bool, Field(strict=True)]
_Exact = Annotated[DecimalText, BeforeValidator(exact)]
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,127}")
_HOST = re.compile(r"[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]")
_PATH = re.compile(r"[A-Za-z0-9._~/%-]*")


class Parameters(Record):
    """The sampling parameters that are sent; what is absent isn't sent and the server decides.

    They are part of what a batch compares, so decimal numbers are kept as exact text.
    """

    temperature: _Exact | None = None
    top_p: _Exact | None = None
    frequency_penalty: _Exact | None = None
    presence_penalty: _Exact | None = None
    seed: Annotated[Count, _Whole] | None = None
    reasoning_effort: Annotated[str, StringConstraints(pattern=EFFORT_PATTERN)] | None = None

    @field_validator("temperature", "top_p", "frequency_penalty", "presence_penalty")
    @classmethod
    def _within_the_api_range(cls, value: str | None, info: object) -> str | None:
        low, high = _RANGES[getattr(info, "field_name", "")]
        if value is not None and not low <= Decimal(value) <= high:
            raise ValueError(f"must lie between {low} and {high}")
        return value

    def sent(self) -> dict[str, str | int]:
        """The parameters that are set, by their name in the API."""
        return {name: value for name, value in self.model_dump().items() if value is not None}

    def identity(self) -> frozenset[tuple[str, Decimal | str | int]]:
        """What two entries have in common when they mean the same: `0.7` and `0.70` are one value."""
        return frozenset((n, Decimal(v) if n in _RANGES else v) for n, v in self.sent().items())


_RANGES: dict[str, tuple[int, int]] = {
    "temperature": (0, 2),
    "top_p": (0, 1),
    "frequency_penalty": (-2, 2),
    "presence_penalty": (-2, 2),
}


class Timeouts(Record):
    """Seconds to wait: for a connection, between two bytes, for a free connection, and for a call in all.

    `total` spans every attempt of one call and the waits between them.
    """

    connect: _Seconds = 10
    read: _Seconds = 60
    write: _Seconds = 30
    pool: _Seconds = 60
    total: Annotated[float, Field(gt=0, le=7200)] = 300


class ModelEntry(Record):
    """A model as `models.toml` describes it. It says where its credential is, never what it is."""

    key: Slug
    display_name: Annotated[str, StringConstraints(pattern=DISPLAY_PATTERN)]
    family: _Name
    provider: _Name
    wire_api: WireApi
    model_id: _ModelId
    base_url: str | None = None
    credential_env: str | None = None
    stored_credential: _Flag = False
    tier: Tier | None = None
    weights: Weights | None = None
    channel: _Name | None = None
    """The gateway that the model is reached through; None or `native`: its provider is asked itself."""
    provider_key: _Name | None = None
    """Who judges must not share with it; None: the provider."""
    thinking: Thinking | None = None
    model_id_status: Literal["verified", "unverified"] = "unverified"
    candidate: _Flag = True
    judge: _Flag = False
    status: Status = "active"
    streaming: _Flag = True
    parameters: Parameters = Parameters()
    output_limit_field: OutputLimitField = "max_tokens"
    price: Price | None = None
    timeout_seconds: Timeouts = Timeouts()
    max_retries: Annotated[int, Field(ge=0, le=10), _Whole] = 3
    concurrency: Annotated[int, Field(ge=1, le=256), _Whole] = 4

    @field_validator("base_url")
    @classmethod
    def _is_a_safe_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        if fault := address_fault(value):
            raise ValueError(fault)
        return value.rstrip("/")

    @field_validator("credential_env")
    @classmethod
    def _names_a_variable(cls, value: str | None) -> str | None:
        if value is not None and not _VARIABLE.fullmatch(value):
            raise ValueError(
                "must be the name of an environment variable (A-Z, 0-9, _), never the key itself; if this is a key, "
                "take it out of the file and revoke it"
            )
        return value

    @field_validator("price", mode="before")
    @classmethod
    def _may_be_whole(cls, value: Any) -> Any:
        if not isinstance(value, (dict, Price)) and value is not None:
            raise ValueError("must be a table of rates, or the id of a [[prices]] table in quotes")
        return exact_rates(value)

    @model_validator(mode="after")
    def _fits_its_wire_api(self) -> ModelEntry:
        if self.synthetic:
            if self.base_url is not None or self.credential_env is not None or self.stored_credential:
                raise ValueError("a scripted model has neither base_url nor a credential: it never leaves the machine")
        elif self.base_url is None:
            raise ValueError("base_url is missing: where does the server answer?")
        return self

    @model_validator(mode="after")
    def _has_one_credential_and_a_role(self) -> ModelEntry:
        if self.credential_env is not None and self.stored_credential:
            raise ValueError("the key is either in credential_env or stored_credential: take one of them out")
        if not (self.candidate or self.judge):
            raise ValueError('neither candidate nor judge: give it a role, or set status = "archived"')
        return self

    @property
    def synthetic(self) -> bool:
        """True exactly for scripted models: their answers are written by hand."""
        return self.wire_api == "scripted"

    @property
    def verified(self) -> bool:
        """Whether somebody made sure that the provider knows the model id; a scripted model has none to check."""
        return self.synthetic or self.model_id_status == "verified"

    @property
    def meaning(self) -> tuple[object, ...]:
        """What may stand only once in a registry: provider, model id, parameters and thinking mode."""
        return self.provider, self.model_id, self.parameters.identity(), self.thinking or "provider_default"

    def freeze(self) -> FrozenModel:
        """The entry as a batch keeps it: no address, credential, roles or limits. What isn't stated isn't frozen."""
        return FrozenModel(
            key=self.key,
            display_name=self.display_name,
            family=self.family,
            provider=self.provider,
            wire_api=self.wire_api,
            model_id=self.model_id,
            parameters=self.parameters.sent(),
            synthetic=self.synthetic,
            price=self.price,
            tier=self.tier,
            weights=self.weights,
            channel=self.channel,
            provider_key=self.provider_key,
            thinking=self.thinking,
        )


def address_fault(url: str) -> str | None:
    """What is wrong with a base URL, or None. The message never repeats the URL, which may hold a key."""
    try:
        parts = urlsplit(url)
        port_is_valid = parts.port is None or parts.port > 0
    except ValueError:
        return "is not a URL"
    if parts.scheme not in ("http", "https"):
        return "must start with https:// (or http:// for this machine)"
    if "@" in parts.netloc:
        return "must not hold a user name or password: name the key's variable in credential_env"
    if "?" in url or "#" in url:
        return "must not have a query or fragment: name the key's variable in credential_env"
    if not port_is_valid or not _HOST.fullmatch(_host_text(parts)) or not _PATH.fullmatch(parts.path):
        return "is not a plain URL of host, port and path (an international host needs its xn-- form)"
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        return "plain HTTP is allowed only to this machine (127.0.0.0/8, ::1, localhost): use https://"
    return None


def is_loopback(host: str) -> bool:
    """Whether a host name or literal address is this machine, without asking a name server."""
    try:
        address = ip_address(host)
    except ValueError:
        return host.lower() == "localhost"
    return address.is_loopback


def _host_text(parts: SplitResult) -> str:
    """The host as written, with the brackets of an IPv6 literal."""
    return re.sub(r":[0-9]*$", "", parts.netloc)
