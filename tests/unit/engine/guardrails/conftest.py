from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dataset.questions.guardrail_policy import DOCUMENTS, GuardrailPolicy
from engine.guardrails.chain import OutputGuardrails, build_guardrails

FINANCE = Path(__file__).parents[4] / "dataset" / "packs" / "finance" / "guardrails"


@pytest.fixture(scope="session")
def policy() -> GuardrailPolicy:
    documents = {name: yaml.safe_load((FINANCE / f"{name}.yaml").read_text("utf-8")) for name in DOCUMENTS}
    return GuardrailPolicy.model_validate({"version": 1, **documents})


@pytest.fixture(scope="session")
def guardrails(policy: GuardrailPolicy) -> OutputGuardrails:
    return build_guardrails(policy)
