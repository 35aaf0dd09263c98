"""The tables of a snapshot as data: one file a table, its columns described where they are made."""
