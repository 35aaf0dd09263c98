"""The public proof vectors of the transparency-dev project: good proofs hold, every bad one is refused."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from publisher.release_log.merkle import consistency_holds, inclusion_holds

VECTORS = Path(__file__).resolve().parents[5] / "shared" / "corpora" / "merkle"


def vectors(kind: str) -> list[Any]:
    found = sorted((VECTORS / kind).rglob("*.json"))
    if not found:
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"the proof vectors aren't at {VECTORS}"))]
    return [pytest.param(path, id=str(path.relative_to(VECTORS).with_suffix(""))) for path in found]


def decoded(vector: dict[str, Any], name: str) -> bytes:
    return base64.b64decode(vector[name])


@pytest.mark.parametrize("path", vectors("inclusion"))
def test_an_inclusion_proof_holds_exactly_where_its_vector_says_so(path: Path) -> None:
    vector = json.loads(path.read_text())
    holds = inclusion_holds(
        leaf=decoded(vector, "leafHash"),
        index=vector["leafIdx"],
        size=vector["treeSize"],
        proof=[base64.b64decode(text) for text in vector["proof"] or ()],
        root=decoded(vector, "root"),
    )
    assert holds is not vector["wantErr"], vector["desc"]


@pytest.mark.parametrize("path", vectors("consistency"))
def test_a_consistency_proof_holds_exactly_where_its_vector_says_so(path: Path) -> None:
    vector = json.loads(path.read_text())
    holds = consistency_holds(
        size1=vector["size1"],
        size2=vector["size2"],
        root1=decoded(vector, "root1"),
        root2=decoded(vector, "root2"),
        proof=[base64.b64decode(text) for text in vector["proof"] or ()],
    )
    assert holds is not vector["wantErr"], vector["desc"]
