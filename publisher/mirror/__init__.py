"""A mirror of what was published: the snapshot, its log, its pages, and what an earlier mirror held."""
