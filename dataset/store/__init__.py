"""The only door to PostgreSQL: the server, the schema, and what is read and written."""
