"""Keys of models, sealed in the database with a ring of keys that stands outside of it."""
