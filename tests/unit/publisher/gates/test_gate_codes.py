from __future__ import annotations

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[4]
CODE = re.compile(r"(?:GATE|PUBLISH)-[A-Z]+-\d{3}")


def test_every_gate_code_is_explained_and_every_explained_code_exists() -> None:
    explained = set(CODE.findall((REPOSITORY / "docs" / "reference" / "gate-codes.md").read_text()))
    sources = [*(REPOSITORY / "publisher").glob("gates/*.py"), *(REPOSITORY / "publisher").glob("projection/*.py")]
    sources.append(REPOSITORY / "publisher" / "release.py")
    raised = {code for source in sources for code in CODE.findall(source.read_text())}
    # the error that carries a refusal has a code of its own and stands for all of them
    assert explained == raised - {"PUBLISH-REFUSED-001"}
