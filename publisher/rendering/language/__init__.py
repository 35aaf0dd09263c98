"""The languages that every page is rendered in, and texts that are said in them."""
