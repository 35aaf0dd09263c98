"""The release log: an append-only Merkle tree of what was ever released, as plain files."""
