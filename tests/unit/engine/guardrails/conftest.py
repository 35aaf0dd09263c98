from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dataset.questions.guardrail_policy import DOCUMENTS, GuardrailPolicy, policy_from_documents
from engine.guardrails.chain import OutputGuardrails, build_guardrails

FINANCE = Path(__file__).parents[4] / "dataset" / "packs" / "finance" / "guardrails"


@pytest.fixture(scope="session")
def policy() -> GuardrailPolicy:
    return policy_from_documents(
        {name: yaml.safe_load((FINANCE / f"{name}.yaml").read_text("utf-8")) for name in DOCUMENTS}
    )


@pytest.fixture(scope="session")
def guardrails(policy: GuardrailPolicy) -> OutputGuardrails:
    return build_guardrails(policy)
