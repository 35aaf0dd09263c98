"""Lines of a report made by hand, one letter a run: `+` passed, `-` failed, `!` invalid, `w` withdrawn."""

from __future__ import annotations

from dataset.measures.run_facts import WITHDRAWN, RunFacts
from dataset.record import RunId
from publisher.rendering.compare.pairing import Pairing


def line(sign: str, case: str, *, variant: str = "v", repeat: int = 1, model: str = "m") -> RunFacts | None:
    """The line of one run; none for a space."""
    if sign == " ":
        return None
    verdict = {"+": "pass", "-": "fail"}.get(sign, "invalid")
    return RunFacts.model_validate(
        {
            "run_id": RunId(f"{model}-{case}-{variant}-{repeat}"),
            "artifact_hash": "0" * 64,
            "model_key": model,
            "case_id": case,
            "variant_id": variant,
            "repeat": repeat,
            "verdict": verdict,
            "failure_reasons": (),
            "invalid_reason": {"!": "provider_failed", "w": WITHDRAWN}.get(sign),
            "corrections": 0,
            "model_steps": 1,
            "tool_calls": 0,
            "refused_calls": 0,
            "latency_ms": 1,
            "input_tokens": None,
            "output_tokens": None,
            "cost": None,
        },
        strict=True,
    )


def pairings(**cases: str) -> tuple[Pairing, ...]:
    """Pairs by case: `one="+- ++"` is a case of two pairs, of which the left side won the first."""
    return tuple(
        Pairing(
            case_id=case,
            left_variant="v",
            right_variant="v",
            repeat=number,
            left=line(signs[0], case, repeat=number, model="left"),
            right=line(signs[1], case, repeat=number, model="right"),
        )
        for case, pairs in cases.items()
        for number, signs in enumerate(pairs.split("|"), start=1)
    )
