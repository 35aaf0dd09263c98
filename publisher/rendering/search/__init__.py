"""What pages tell the search of themselves."""
