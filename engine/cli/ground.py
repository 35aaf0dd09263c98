"""What a command that works on batches stands on: registry, keys and state directory of this machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataset.store.session import Database
    from engine.batches.worker_process import Ground


def ground_of(database: Database) -> Ground:
    """Everything a worker needs besides the database; keys are read when a batch is opened, not before."""
    from dataset.home import state_directory
    from engine.batches.worker_process import Ground
    from engine.credentials.keyring_file import keyring_path
    from engine.credentials.stored_credentials import StoredCredentials
    from engine.providers.credential import CredentialSources, EnvironmentCredentials
    from engine.providers.registry import ModelRegistry

    home = state_directory()
    return Ground(
        database=database,
        registry=ModelRegistry.load(home),
        credentials=CredentialSources(
            environment=EnvironmentCredentials(os.environ),
            stored=StoredCredentials(database=database, keyring=keyring_path(os.environ, home)),
        ),
        home=home,
    )
