"""Facts of runs from rows of letters: p passed, f failed, i invalid; one letter a repeat, a space for a missing run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from dataset.artifacts.definition import BatchDefinition
from dataset.measures.run_facts import RunFacts
from dataset.questions.template import Contrast
from dataset.record import Localised, VariantId
from tests.factories import VARIANTS, make_case, make_definition, make_model, make_pack, make_template

VERDICTS: Mapping[str, Literal["pass", "fail", "invalid"]] = {"p": "pass", "f": "fail", "i": "invalid"}
CONTRAST = Contrast(
    id="c", title=Localised(en="c", zh="c"), baseline=VARIANTS[0].id, treatment=VariantId(VARIANTS[1].id)
)


def runs_of(rows: Sequence[str], *, variant: str = VARIANTS[0].id, model: str = "m") -> list[RunFacts]:
    """The runs of one model and variant; a row is a case."""
    return [
        fact(case, repeat, verdict=VERDICTS[letter], variant=variant, model=model)
        for case, row in enumerate(rows)
        for repeat, letter in enumerate(row, start=1)
        if letter != " "
    ]


def fact(case: int, repeat: int, *, verdict: str, variant: str, model: str) -> RunFacts:
    """One run; of its facts only these matter to statistics."""
    fields: dict[str, Any] = {
        "run_id": f"b-{model}-{variant}-{case:04d}-{repeat}",
        "artifact_hash": "0" * 64,
        "model_key": model,
        "case_id": case_id(case),
        "variant_id": variant,
        "repeat": repeat,
        "verdict": verdict,
        "failure_reasons": (),
        "invalid_reason": "network_error" if verdict == "invalid" else None,
        **dict.fromkeys(("corrections", "model_steps", "tool_calls", "refused_calls", "latency_ms"), 0),
        **dict.fromkeys(("input_tokens", "output_tokens", "cost")),
    }
    return RunFacts.model_validate(fields)


def case_id(case: int) -> str:
    """The id of the case in a row."""
    return f"case-{case:04d}"


def definition_of(*, cases: int, repeats: int = 1, models: Sequence[str] = ("m",), arms: int = 2) -> BatchDefinition:
    """A batch over so many cases; with two arms it compares them as the contrast `language`."""
    variants = VARIANTS[:arms]
    public = [make_case(case_id(case)) for case in range(cases)]
    template = make_template(repeats=repeats, variants=variants)
    pack = make_pack(public, template=template, variants=variants)
    return make_definition(pack, template=template, models=[make_model(key) for key in models], cases=public)
