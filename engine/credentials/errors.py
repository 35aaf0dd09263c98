"""Every way a stored key can be refused or unusable. No message, and no field of an error, holds a key or an origin."""

from __future__ import annotations

from dataset.errors import GlassbenchError


class CredentialError(GlassbenchError):
    """A stored key can't be written or used; `reason` is the stable word that the audit trail keeps."""

    code = "CRED-001"
    reason = "refused"


class KeyringError(CredentialError):
    """The key ring is missing, isn't safe or can't be read.

    `CRED-RING-001` missing · `CRED-RING-002` others may read it, or it isn't a file of our own · `CRED-RING-003` it
    isn't a key ring · `CRED-RING-004` it can't be opened or written.
    """

    code = "CRED-RING-001"
    reason = "keyring_unusable"


class RingKeyUnknownError(CredentialError):
    """A key was sealed with a ring key that the present ring doesn't have."""

    code = "CRED-KEY-001"
    reason = "ring_key_unknown"

    def __init__(self, model_key: str, key_id: str) -> None:
        super().__init__(
            f"the stored key of model {model_key!r} was sealed with ring key {key_id}, which this key ring lacks",
            hint=f"bring back the key ring it was stored with, or run `glassbench credential set {model_key}`",
        )


class EnvelopeDamagedError(CredentialError):
    """A stored key doesn't open: it was changed, or moved from another model or origin."""

    code = "CRED-OPEN-001"
    reason = "envelope_damaged"

    def __init__(self, model_key: str) -> None:
        super().__init__(
            f"the stored key of model {model_key!r} doesn't open: its row was damaged or moved",
            hint=f"store it anew with `glassbench credential set {model_key}`",
        )


class CredentialNotStoredError(CredentialError):
    """No key is stored for a model."""

    code = "CRED-MISSING-001"
    reason = "not_stored"

    def __init__(self, model_key: str) -> None:
        super().__init__(
            f"no key is stored for model {model_key!r}", hint=f"store it with `glassbench credential set {model_key}`"
        )


class NothingStoredError(CredentialError):
    """No key is stored under the name given, which isn't repeated: it may be a key in the wrong place."""

    code = "CRED-MISSING-002"
    reason = "not_stored"

    def __init__(self) -> None:
        super().__init__("no key is stored for the model given", hint="see `glassbench credential list`")


class OriginChangedError(CredentialError):
    """A model's base URL leads to another origin than its key was stored for."""

    code = "CRED-ORIGIN-001"
    reason = "origin_changed"

    def __init__(self, model_key: str) -> None:
        super().__init__(
            f"the base_url of model {model_key!r} leads to another scheme, host or port than its key was stored for",
            hint=f"where that is meant, give the key again with `glassbench credential set {model_key}`",
        )


class CredentialBusyError(CredentialError):
    """A batch that uses the key is active."""

    code = "CRED-BUSY-001"
    reason = "batch_active"


class ValueRefusedError(CredentialError):
    """What was given can't be a key.

    `CRED-VALUE-001` not 8 to 8192 visible ASCII characters · `CRED-VALUE-002` it stands in a public setting of the
    model · `CRED-VALUE-003` it is the key that stands already.
    """

    code = "CRED-VALUE-001"

    def __init__(self, message: str, *, hint: str, code: str, reason: str) -> None:
        super().__init__(message, hint=hint, code=code)
        self.reason = reason


class ModelRefusedError(CredentialError):
    """A model that takes no stored key.

    `CRED-MODEL-001` the registry has no such model (its name isn't repeated: it may be a key in the wrong place) ·
    `CRED-MODEL-002` its entry names an environment variable, or nothing.
    """

    code = "CRED-MODEL-001"
    reason = "model_takes_no_stored_key"


class InputRefusedError(CredentialError):
    """A key can't be had from where it should be read.

    `CRED-INPUT-001` it stands on the command line · `CRED-INPUT-002` nothing was given · `CRED-INPUT-003` the
    terminal would show it.
    """

    code = "CRED-INPUT-001"

    def __init__(self, message: str, *, hint: str, code: str, reason: str) -> None:
        super().__init__(message, hint=hint, code=code)
        self.reason = reason
