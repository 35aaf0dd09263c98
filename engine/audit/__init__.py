"""The audit trail and the attempt ledger in files: written from the database, checked without it."""
