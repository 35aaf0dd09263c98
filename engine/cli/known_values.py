"""The secret values that this installation knows, for the scan before publishing."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from dataset.errors import GlassbenchError

if TYPE_CHECKING:
    from engine.providers.registry import ModelRegistry

SHORTEST = 8
"""A shorter value would be found in ordinary text everywhere; such a password has to be changed, not looked for."""


class CredentialUnknownError(GlassbenchError):
    """A credential that a release's own models use isn't known here, so it can't be looked for."""

    code = "SCAN-CRED-001"


def known_values(model_keys: Collection[str] = ()) -> Mapping[str, str]:
    """By name: every credential variable that is set, every stored key that opens, and the database's password.

    `model_keys`: the models of what is about to be published. CredentialUnknownError where one of them has a variable
    that isn't set here, or a stored key that doesn't open; the others are named on stderr.
    """
    from dataset.home import state_directory
    from dataset.store.session import DATABASE_URL_VARIABLE
    from engine.providers.registry import ModelRegistry

    home = state_directory()
    registry = ModelRegistry.load(home)
    found = _set_variables(registry, model_keys)
    found |= _stored_keys(registry, home, model_keys)
    password = database_password(os.environ.get(DATABASE_URL_VARIABLE, ""))
    if password is not None:
        found[DATABASE_URL_VARIABLE] = password
    return found


def _set_variables(registry: ModelRegistry, model_keys: Collection[str]) -> dict[str, str]:
    found = registry.credential_values(os.environ)
    used = {entry.credential_env for entry in registry.entries if entry.key in model_keys}
    unset = [name for name in registry.credential_names() if name not in found]
    needed = [name for name in unset if name in used]
    if needed:
        raise CredentialUnknownError(
            f"{', '.join(needed)} not set here: what the models of this release were asked with can't be looked for",
            hint="set it as it was when the batch ran, then publish again",
        )
    if unset:
        print(f"note: not set here, so their values aren't looked for: {', '.join(unset)}", file=sys.stderr)
    return found


def _stored_keys(registry: ModelRegistry, home: Path, model_keys: Collection[str]) -> dict[str, str]:
    """The stored keys, by a name for each; without asking the database where nothing here speaks of stored keys."""
    from dataset.store.session import open_database
    from engine.credentials.keyring_file import keyring_path
    from engine.credentials.stored_credentials import StoredCredentials
    from engine.providers.credential import takes_stored_key

    keyring = keyring_path(os.environ, home)
    expected = {entry.key for entry in registry.entries if takes_stored_key(entry)}
    if not expected and not model_keys and not os.path.lexists(keyring):
        return {}
    with open_database() as database:
        values, faults = StoredCredentials(database=database, keyring=keyring).open_all()
    unknown = sorted(faults.keys() | (expected - values.keys()))
    if needed := [key for key in unknown if key in model_keys]:
        raise CredentialUnknownError(
            f"the stored keys of {', '.join(needed)} can't be read here: what the models of this release were asked "
            "with can't be looked for",
            hint="see `glassbench credential list`; bring back the key ring, or the key, then publish again",
        )
    if unknown:
        print(f"note: not readable here, so not looked for: stored keys of {', '.join(unknown)}", file=sys.stderr)
    return {f"stored key of {key}": value.get_secret_value() for key, value in values.items()}


def database_password(url: str) -> str | None:
    """The password in a database URL, decoded; None where there is none or it is too short to look for."""
    try:
        password = urlsplit(url).password
    except ValueError:
        return None
    decoded = unquote(password) if password else ""
    return decoded if len(decoded) >= SHORTEST else None
