"""How much is found of secrets drawn anew in the forms of vendors, tools and languages, and of what only looks so.

The samples are templates (`samples/`), written from documentation; what is drawn into them is random.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from random import Random

import pytest

from publisher.scanning.rules.shape import ShapeRule
from publisher.scanning.rules.vendor_prefixes import VENDOR_PREFIXES
from publisher.scanning.rules.vendor_tokens import VENDOR_TOKENS
from publisher.scanning.scanner import Scanner
from tests.unit.publisher.scanning.forms import FORMS
from tests.unit.publisher.scanning.samples.assignments import SYNTAXES, VALUES, placeholders, secrets
from tests.unit.publisher.scanning.samples.clean import CLEAN
from tests.unit.publisher.scanning.samples.draws import filled
from tests.unit.publisher.scanning.samples.vendors import VENDORS
from tests.unit.publisher.scanning.samples.written import WRITTEN

TEMPLATES = VENDORS | {category: texts for category, (texts, _) in WRITTEN.items()}
LOOKALIKES = CLEAN | {category: texts for category, (_, texts) in WRITTEN.items()}
# The least share found; what was measured stands in docs/reference/scanning.md.
LEAST = 0.95
LEAST_OF_WEAK_PASSWORDS = 0.90
# Those of URLs whose password is the word `password`, which the credential engine takes for one.
MOST_FLAGGED = {"URLs": 2}


def flagged(scanner: Scanner, texts: Iterable[str]) -> list[str]:
    return [text for text in texts if scanner.scan_bytes(text.encode(), "")]


def drawn(templates: Iterable[str], seed: int, times: int = 3) -> list[str]:
    random = Random(seed)
    return [filled(template, random) for template in templates for _ in range(times)]


@pytest.mark.parametrize("category", TEMPLATES)
def test_secrets_of_a_known_form_are_found(scanner: Scanner, category: str) -> None:
    texts = drawn(TEMPLATES[category], seed=7)
    assert len(flagged(scanner, texts)) >= LEAST * len(texts)


@pytest.mark.parametrize("category", VENDORS)
def test_no_secret_of_a_vendor_is_told_by_two_of_our_forms(category: str) -> None:
    rules = [ShapeRule(shape) for shape in (*VENDOR_TOKENS, *VENDOR_PREFIXES)]
    for text in drawn(VENDORS[category], seed=7, times=1):
        hits = [hit for rule in rules for hit in rule.find(text.encode())]
        for one, other in combinations(hits, 2):
            assert one.end <= other.start or other.end <= one.start, (one.rule, other.rule)


@pytest.mark.parametrize("family", SYNTAXES)
@pytest.mark.parametrize("values", VALUES)
def test_secrets_set_under_a_name_are_found_in_every_syntax(scanner: Scanner, family: str, values: str) -> None:
    texts = secrets(family, values, Random(7))
    least = LEAST_OF_WEAK_PASSWORDS if values == "weak passwords" else LEAST
    assert len(flagged(scanner, texts)) >= least * len(texts)


@pytest.mark.parametrize("family", SYNTAXES)
def test_what_stands_where_a_secret_would_is_not_flagged(scanner: Scanner, family: str) -> None:
    assert flagged(scanner, placeholders(family, Random(7))) == []


@pytest.mark.parametrize("category", LOOKALIKES)
def test_what_only_looks_like_a_secret_is_not_flagged(scanner: Scanner, category: str) -> None:
    assert len(flagged(scanner, drawn(LOOKALIKES[category], seed=7))) <= 3 * MOST_FLAGGED.get(category, 0)


@pytest.mark.parametrize("form", FORMS)
def test_no_form_hides_what_is_found_in_plain_text(scanner: Scanner, form: str) -> None:
    texts = drawn([text for templates in TEMPLATES.values() for text in templates], seed=8, times=1)
    hidden = [FORMS[form](text) for text in flagged(scanner, texts)]
    assert len(flagged(scanner, hidden)) >= 0.98 * len(hidden)
