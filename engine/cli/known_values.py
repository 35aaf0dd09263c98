"""The secret values that this installation knows, for the scan before publishing."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping
from urllib.parse import unquote, urlsplit

from dataset.errors import GlassbenchError

SHORTEST = 8
"""A shorter value would be found in ordinary text everywhere; such a password has to be changed, not looked for."""


class CredentialUnknownError(GlassbenchError):
    """A credential that a release's own models use isn't set here, so it can't be looked for."""

    code = "SCAN-CRED-001"


def known_values(model_keys: Collection[str] = ()) -> Mapping[str, str]:
    """By name: every credential variable of the model registry that is set, and the database's password.

    `model_keys`: the models of what is about to be published. CredentialUnknownError where one of them has a variable
    that isn't set here; other unset variables are named on stderr.
    """
    from dataset.home import state_directory
    from dataset.store.session import DATABASE_URL_VARIABLE
    from engine.providers.registry import ModelRegistry

    registry = ModelRegistry.load(state_directory())
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
    password = database_password(os.environ.get(DATABASE_URL_VARIABLE, ""))
    if password is not None:
        found[DATABASE_URL_VARIABLE] = password
    return found


def database_password(url: str) -> str | None:
    """The password in a database URL, decoded; None where there is none or it is too short to look for."""
    try:
        password = urlsplit(url).password
    except ValueError:
        return None
    decoded = unquote(password) if password else ""
    return decoded if len(decoded) >= SHORTEST else None
