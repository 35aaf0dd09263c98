"""The models that can be asked: the built-in ones and the owner's, from `models.toml`, with dated exchange rates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from dataset.errors import GlassbenchError
from dataset.measures.exchange import FxSnapshot
from engine.providers.model_entry import ModelEntry
from engine.providers.registry_fault import RegistryFault
from engine.providers.registry_file import Placed, R, RegistryFile, read_registry_file

BUILT_IN_FILE = Path(__file__).with_name("models.toml")
OWNER_FILE_NAME = "models.toml"


class RegistryError(GlassbenchError):
    """A registry that can't be used, with every fault of both files in `faults`."""

    code = "MODEL-REG-001"

    def __init__(self, faults: Iterable[RegistryFault]) -> None:
        self.faults = tuple(faults)
        listed = "\n".join(f"  {fault}" for fault in self.faults)
        count = f"{len(self.faults)} faults" if len(self.faults) > 1 else "a fault"
        super().__init__(f"the model registry has {count}:\n{listed}", hint="mend the lines named above")


class UnknownModelError(GlassbenchError):
    """A model key that no entry has; the message lists the known keys, the closest first."""

    code = "MODEL-KEY-001"

    def __init__(self, key: str, known: Iterable[str], owner_file: Path) -> None:
        ranked = sorted(known, key=lambda name: (-SequenceMatcher(None, key, name).ratio(), name))
        super().__init__(
            f"no model has the key {key!r}; known: {', '.join(ranked)}", hint=f"add the model to {owner_file}"
        )


class ArchivedModelError(GlassbenchError):
    """A model that is kept as history and can't be asked."""

    code = "MODEL-KEY-002"

    def __init__(self, key: str, owner_file: Path) -> None:
        super().__init__(
            f"model {key!r} is archived: it is kept as history and never asked",
            hint=f'take status = "archived" out of its entry in {owner_file}, or choose another model',
        )


class ModelRoleError(GlassbenchError):
    """A model that may judge only, wanted as a candidate."""

    code = "MODEL-ROLE-001"

    def __init__(self, key: str, owner_file: Path) -> None:
        super().__init__(
            f"model {key!r} is no candidate: its entry says candidate = false",
            hint=f"take that out of its entry in {owner_file}, or choose another model",
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelRegistry:
    """Every model by key, the built-in ones first, archived ones among them; and every exchange rate."""

    entries: tuple[ModelEntry, ...]
    owner_file: Path
    fx: tuple[FxSnapshot, ...] = ()

    @classmethod
    def load(cls, home: Path) -> ModelRegistry:
        """The built-in models and those of `<home>/models.toml`, where there is one.

        RegistryError lists every fault of both files at once.
        """
        owner_file = home / OWNER_FILE_NAME
        files = [read_registry_file(BUILT_IN_FILE)]
        if owner_file.exists() and not owner_file.is_file():  # a pipe would be waited for without end
            fault = RegistryFault(file=owner_file, line=None, field="", message="not a file")
            files.append(RegistryFile(faults=[fault]))
        elif owner_file.exists():
            files.append(read_registry_file(owner_file))
        models = [item for found in files for item in found.models]
        rates = [item for found in files for item in found.rates]
        faults = [fault for found in files for fault in (*found.faults, *_taken(found.prices, "id"))]
        faults += [*_taken(models, "key"), *_twins(models), *_taken(rates, "pair")]
        if faults:
            raise RegistryError(faults)
        return cls(
            entries=tuple(item.record for item in models),
            owner_file=owner_file,
            fx=tuple(item.record for item in rates),
        )

    def find(self, key: str) -> ModelEntry:
        """The model with this key, archived or not; UnknownModelError where there is none."""
        for entry in self.entries:
            if entry.key == key:
                return entry
        raise UnknownModelError(key, (entry.key for entry in self.entries), self.owner_file)

    def entry(self, key: str) -> ModelEntry:
        """The model with this key, which can be asked; UnknownModelError, ArchivedModelError."""
        entry = self.find(key)
        if entry.status == "archived":
            raise ArchivedModelError(key, self.owner_file)
        return entry

    def candidate(self, key: str) -> ModelEntry:
        """The model with this key, which a batch may evaluate; ModelRoleError where it may only judge; as `entry`."""
        entry = self.entry(key)
        if not entry.candidate:
            raise ModelRoleError(key, self.owner_file)
        return entry

    def tries(self) -> dict[str, int]:
        """How often one call may be tried at most, by model key."""
        return {entry.key: 1 + (0 if entry.synthetic else entry.max_retries) for entry in self.entries}

    def credential_names(self) -> tuple[str, ...]:
        """The name of every credential variable that some model uses, sorted."""
        return tuple(sorted({entry.credential_env for entry in self.entries if entry.credential_env}))

    def credential_values(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The value of each credential variable that is set, by name: what a scan must find nowhere."""
        return {name: environ[name] for name in self.credential_names() if environ.get(name)}


def _taken(placed: Iterable[Placed[R]], setting: str) -> list[RegistryFault]:
    """A fault for each name that is given a second time."""
    return [
        item.place.fault(f"already taken at {first.place}", setting=setting)
        for item, first in _repeated(placed, lambda record: getattr(record, setting))
    ]


def _twins(models: Iterable[Placed[ModelEntry]]) -> list[RegistryFault]:
    """A fault for each model under a key of its own that means the same as another."""
    return [
        item.place.fault(
            "the same provider, model id, parameters and thinking mode as "
            f"{first.place.subject} at {first.place}: a leaderboard would count one model twice",
            at="model_id",
        )
        for item, first in _repeated(models, lambda entry: entry.meaning)
        if item.record.key != first.record.key
    ]


def _repeated(placed: Iterable[Placed[R]], identity: Callable[[R], object]) -> Iterable[tuple[Placed[R], Placed[R]]]:
    """Each record that has the identity of an earlier one, with that one."""
    seen: dict[object, Placed[R]] = {}
    for item in placed:
        first = seen.setdefault(identity(item.record), item)
        if first is not item:
            yield item, first
