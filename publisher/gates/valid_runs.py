"""`GATE-VALID`: each group (model × variant) has enough valid runs for its template."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

from dataset.measures.threshold import enough_valid
from publisher.gates.interface import Account, Exhibit, Fault
from publisher.verification.chain import chains_of

TOO_FEW = "GATE-VALID-001"


class ValidRuns:
    """`-001` valid / planned is below the template's threshold. A run without a believable artifact isn't valid."""

    def batch_faults(self, batch: Exhibit, account: Account) -> Iterator[Fault]:
        """One fault for each group with too few valid runs."""
        if batch.definition is None:
            return
        template = batch.definition.template
        planned = batch.definition.runs_per_group
        counting = [chain.counts for chain in chains_of(batch.planned.values(), account.facts)]
        valid = Counter(
            (facts.model_key, facts.variant_id)
            for facts in (account.facts[run_id] for run_id in counting if run_id is not None)
            if facts.verdict != "invalid"
        )
        for model, variant in product(batch.definition.models, batch.definition.variants):
            found = valid[model.key, variant.id]
            if not enough_valid(found, planned, template):
                message = f"{found} of {planned} planned runs are valid, the template wants {template.valid_threshold}"
                yield batch.fault(TOO_FEW, message, place=f"{model.key} × {variant.id}")
