"""Write the token counter's two tables; run with `python -m tests.benchmarks.token_tables`.

Without arguments the tables come from the vocabularies that `requirements-vocabularies.lock` pins, are written beside
the token counter and are the same bytes every time.
"""

import argparse
from pathlib import Path

from tests.benchmarks.real_tokenizers import LOADERS, from_file
from tests.benchmarks.token_tables.character_table import character_lines
from tests.benchmarks.token_tables.word_table import word_lines

TABLES = {"token_words.txt": word_lines, "token_chars.txt": character_lines}
COUNTER = Path(__file__).parents[3] / "dataset" / "context"


def main() -> None:
    """Read the vocabularies, measure, write both tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.token_tables")
    parser.add_argument("--to", type=Path, default=COUNTER, help="folder of the tables")
    parser.add_argument(
        "--vocabulary", type=Path, action="append", default=[], help="a further tokenizer.json; may be repeated"
    )
    options = parser.parse_args()
    tokenizers = [load() for load in LOADERS.values()] + [from_file(path) for path in options.vocabulary]
    for name, lines in TABLES.items():
        text = "".join(f"{line}\n" for line in lines(tokenizers))
        (options.to / name).write_text(text, "ascii", newline="\n")


if __name__ == "__main__":
    main()
