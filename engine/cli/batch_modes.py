"""What `batch run` can do without sending or writing anything: check, estimate, or run with scripted answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, assert_never

from dataset.console import print_json, print_table

if TYPE_CHECKING:
    from dataset.store.batches import BatchRow
    from engine.batches.worker_process import Ground
    from engine.preflight.dry_run import DryModel

Mode = Literal["validate-only", "estimate", "dry-run"]
NOTHING = "nothing was sent, nothing was written"


def run_mode(ground: Ground, row: BatchRow, mode: Mode, *, as_json: bool) -> None:
    """Validates a batch as far as that goes offline, then does what the mode adds. GlassbenchError for all faults."""
    from dataset.store.planned import missing_runs
    from engine.batches.batch_terms import standing_terms
    from engine.batches.composition import load_frozen
    from engine.cli.estimate_table import estimate_json, print_estimate
    from engine.cli.limits_table import print_limits
    from engine.preflight.bound import most
    from engine.preflight.bounded import require_bounded
    from engine.preflight.dry_run import dry_run
    from engine.preflight.subject import subjects

    batch, missing = load_frozen(ground.database, row), missing_runs(ground.database, row.id)
    terms = standing_terms(ground.database, row)
    subjects(ground, batch, {run.model_key for run in missing})
    facts: dict[str, Any] = {"batch_id": row.id, "mode": mode, "valid": True, "missing": len(missing)}
    match mode:
        case "validate-only":
            require_bounded(row.definition, row.id, terms)
        case "estimate":
            bounds = most(batch, missing, ground.registry, attempts=terms.policy.slice_attempts)
            facts["estimate"] = estimate_json(bounds)
            if not as_json:
                entries = {model.key: ground.registry.entry(model.key) for model in row.definition.models if bounds}
                print_estimate(bounds, entries, title=f"From here batch {row.id} takes at most")
                print_limits(row.id, row.definition.models, terms)
        case "dry-run":
            models = dry_run(batch, missing)
            facts["synthetic"] = [_facts(model) for model in models]
            if not as_json:
                _print(models)
        case unknown:
            assert_never(unknown)
    if as_json:
        print_json(facts)
        return
    print(f"valid: {row.id}, {len(missing)} of {row.counts.planned} runs missing; {NOTHING}")


def _facts(model: DryModel) -> dict[str, Any]:
    return {
        "model": model.model_key,
        "style": model.style,
        "verdicts": dict(model.verdicts),
        "faults": dict(model.faults),
    }


def _print(models: list[DryModel]) -> None:
    print_table(
        "SYNTHETIC: scripted answers, not the models'",
        ("model", "script", "#passed", "#failed", "#invalid", "why invalid"),
        [
            (
                model.model_key,
                model.style,
                *(model.verdicts[verdict] for verdict in ("pass", "fail", "invalid")),
                ", ".join(f"{code} ×{count}" for code, count in sorted(model.faults.items())) or None,
            )
            for model in models
        ],
    )
