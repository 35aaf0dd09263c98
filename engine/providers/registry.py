"""The models that can be asked: the built-in ones and the owner's, from `models.toml`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from dataset.errors import GlassbenchError
from engine.providers.model_entry import ModelEntry
from engine.providers.registry_file import PlacedEntry, RegistryFault, read_registry_file

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


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelRegistry:
    """Every model by key, the built-in ones first."""

    entries: tuple[ModelEntry, ...]
    owner_file: Path

    @classmethod
    def load(cls, home: Path) -> ModelRegistry:
        """The built-in models and those of `<home>/models.toml`, where there is one.

        RegistryError lists every fault of both files at once.
        """
        owner_file = home / OWNER_FILE_NAME
        placed, faults = read_registry_file(BUILT_IN_FILE)
        if owner_file.exists() and not owner_file.is_file():  # a pipe would be waited for without end
            faults.append(RegistryFault(file=owner_file, line=None, field="", message="not a file"))
        elif owner_file.exists():
            own, own_faults = read_registry_file(owner_file)
            placed, faults = placed + own, faults + own_faults
        faults += _duplicates(placed)
        if faults:
            raise RegistryError(faults)
        return cls(entries=tuple(item.entry for item in placed), owner_file=owner_file)

    def entry(self, key: str) -> ModelEntry:
        """The model with this key; UnknownModelError where there is none."""
        for entry in self.entries:
            if entry.key == key:
                return entry
        raise UnknownModelError(key, (entry.key for entry in self.entries), self.owner_file)

    def tries(self) -> dict[str, int]:
        """How often one call may be tried at most, by model key."""
        return {entry.key: 1 + (0 if entry.synthetic else entry.max_retries) for entry in self.entries}

    def credential_names(self) -> tuple[str, ...]:
        """The name of every credential variable that some model uses, sorted."""
        return tuple(sorted({entry.credential_env for entry in self.entries if entry.credential_env}))

    def credential_values(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The value of each credential variable that is set, by name: what a scan must find nowhere."""
        return {name: environ[name] for name in self.credential_names() if environ.get(name)}


def _duplicates(placed: Iterable[PlacedEntry]) -> list[RegistryFault]:
    faults: list[RegistryFault] = []
    keys: dict[str, PlacedEntry] = {}
    meanings: dict[tuple[object, ...], PlacedEntry] = {}
    for item in placed:
        name = f"model {item.entry.key!r}"
        if first := keys.get(item.entry.key):
            faults.append(_fault(item, "key", f"{name}, key", f"already taken at {_place(first)}"))
        elif first := meanings.get(item.entry.meaning):
            message = f"the same provider, model id and parameters as model {first.entry.key!r} at {_place(first)}"
            faults.append(_fault(item, "model_id", name, message))
        keys.setdefault(item.entry.key, item)
        meanings.setdefault(item.entry.meaning, item)
    return faults


def _fault(item: PlacedEntry, setting: str, field: str, message: str) -> RegistryFault:
    return RegistryFault(file=item.file, line=item.lines.of(setting) or None, field=field, message=message)


def _place(item: PlacedEntry) -> str:
    return f"{item.file}:{item.lines.start}" if item.lines.start else str(item.file)
