"""Social cards: pictures of 1200 by 630 pixels made at build, the same bytes on every machine."""
