from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from dataset.canonical import sha256_hex
from engine.ledger.policy import DEFAULT_POLICY, Policy, ScopeLimits
from engine.ledger.terms import Terms


def test_default_policy_limits_nothing_but_the_backlog_and_never_changes() -> None:
    assert DEFAULT_POLICY.backlog == 100
    assert (DEFAULT_POLICY.quantum, DEFAULT_POLICY.slice_attempts, DEFAULT_POLICY.currency) == (64, 3, "USD")
    assert DEFAULT_POLICY.everything == ScopeLimits()
    assert DEFAULT_POLICY.digest() == "a7a059796985c974d6f33303eb61f2f761148b7eba18c9bf692cbc2490a57bb6"


def test_policy_comes_back_from_its_bytes_with_its_hash() -> None:
    policy = Policy.model_validate({"global": {"cost": 5}, "provider": {"example.ai": {"requests": 0}}})
    assert Policy.of_content(policy.content()) == policy
    assert policy.digest() == sha256_hex(policy.content())


@pytest.mark.parametrize("spelling", ["5", "5.0", "5.00", 5])
def test_same_amount_spelled_otherwise_is_the_same_policy(spelling: Any) -> None:
    assert Policy.model_validate({"global": {"cost": spelling}}) == Policy.model_validate({"global": {"cost": "5"}})


@pytest.mark.parametrize(
    "wrong",
    [
        {"global": {"cost": "-1"}},
        {"global": {"cost": "0.00000000001"}},
        {"global": {"cost": "1e3"}},
        {"global": {"cost": "10000000000001"}},
        {"global": {"requests": -1}},
        {"global": {"requests": 1.5}},
        {"global": {"requests": True}},
        {"global": {"request": 1}},
        {"batch": {"mine": {"requests": 1}}},
        {"model": {"No Such Name": {"requests": 1}}},
        {"currency": "usd"},
        {"quantum": 0},
        {"slice_attempts": 0},
    ],
)
def test_what_is_no_policy_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Policy.model_validate(wrong)


def test_terms_carry_the_hash_of_their_policy_and_have_one_of_their_own() -> None:
    policy = Policy(currency="EUR")
    terms = Terms(policy=policy, input_reservation=5)
    assert terms.policy_hash == policy.digest()
    assert Terms.model_validate(terms.body()).digest() == terms.digest()
    assert Terms(policy=policy).digest() != terms.digest()
