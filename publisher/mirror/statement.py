"""What a verification may claim, and what it must not: in words, one thing a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dataset.console import counted
from dataset.questions.withholding import WITHHELD
from publisher.mirror.mirror import MirrorVerification
from publisher.release_log.note import VerifierKey
from publisher.verification.difference import LogFacts

_CHECKED = (
    "every section digest and artifact hash recomputed from the canonical bytes; no steps stand twice",
    "every assertion compiled again from the published gold, and settled again in the recorded steps",
    "every verdict derived again from its assertions and the recorded status, and the status from the timeline",
    "every answer made again from the last reply and its corrections, and looked for its output guards",
    "every call read again from the reply that made it, and every step held to the verdicts on it",
    "every context decided again by its strategy; every tool reply hashed again, where no rule rewrote it",
    "where a catalogue is published: every loaded tool held to it, every search and token count made again",
    "every run that was tried again, and that only invalid ones were, as far as none is withdrawn",
    "every answer that is judged again held to the one that was recorded, where both are here",
    "every number of every report made again from the runs",
)
_NOT_CHECKED = (
    "whether the model and the harness did what is recorded; usage as a provider told it, durations; the withheld "
    "system prompt and how many tokens it has; "
    "the catalogue behind the tools loaded, where none is published; what a rule or guard found, overlooked, rewrote "
    "or refused, and why"
)


_LEFT_TO_PUBLISH = (
    "what only publish could see, with the owner's bank and database: that system prompts, guardrail policy, fixture "
    "replies and withheld questions and golds are those of the bank; that no withheld text stands in what is public, "
    "and withheld hashes can't be guessed; that no known credential, prompt marker or canary is here (glassbench scan "
    "finds what has a known form); that batches on one board ran under the same conditions"
)


def proved(found: MirrorVerification) -> Iterator[str]:
    """What holds, where nothing differs."""
    if found.snapshot.withheld:
        yield "of all that is shown, some being withheld:"
    yield from _CHECKED
    if found.snapshot.log is not None:
        yield from _proved_log(found.snapshot.log, found.given.keys)
    if found.extends:
        yield "the log begins with all that the expected checkpoint covers: no history was rewritten since"
    if found.earlier is not None:
        yield _proved_earlier(found)
    if found.pages is not None and found.pages.hold:
        made = f"{counted(found.pages.pages, 'page')} and {counted(found.pages.assets, 'asset')}"
        yield (
            f"{made} are, byte for byte, what glassbench {found.pages.version} renders from this snapshot: "
            "every number, rank and bar on them"
        )


def not_checked(found: MirrorVerification) -> Iterator[str]:
    """What a reader must not take for proved."""
    yield _NOT_CHECKED
    yield _LEFT_TO_PUBLISH
    for runs, parts in _by_count(found.snapshot.withheld):
        yield f"withheld of {counted(runs, 'run')}: {', '.join(parts)}; digests are here, the content isn't"
    if found.snapshot.unobserved:
        yield f"{counted(found.snapshot.unobserved, 'assertion')} whose evidence is withheld"
    for runs, fields in _by_count(found.snapshot.claimed):
        yield f"taken as told of {counted(runs, 'run')}, since it follows from what is withheld: {', '.join(fields)}"
    if found.snapshot.withdrawn:
        yield f"what {counted(found.snapshot.withdrawn, 'withdrawn run')} recorded: hash and reason are what is left"
    yield from _unproved_replays(found)
    yield from _unproved_past(found)
    yield from _unproved_log(found)
    if found.pages is None:
        yield "pages: there are none here beside the snapshot"


def _unproved_replays(found: MirrorVerification) -> Iterator[str]:
    snapshot = found.snapshot
    if snapshot.orphans:
        what = f"{counted(len(snapshot.orphans), 'replay')} ({', '.join(snapshot.orphans)})"
        yield f"{what}: whether the answers are those that were recorded, by a batch that isn't here"
    if snapshot.unseen:
        runs = counted(snapshot.unseen, "replayed run")
        yield f"{runs}: whether the answers are those that were recorded, which are withheld, withdrawn or invalid now"


def _unproved_past(found: MirrorVerification) -> Iterator[str]:
    past = found.snapshot.past - found.earlier.shown if found.earlier else found.snapshot.past
    for names, one, told in (
        (past.superseded, "withdrawn run", "that was tried again: whether it was invalid, as such a run must be"),
        (past.groups, "group", "with too few valid runs now: whether there were enough before some were withdrawn"),
        (past.times, "batch", "with withdrawn runs: when the first run started and the last one ended"),
        (past.definitions, "batch", "without a run that is left: whether its definition is the one that it ran under"),
        (past.claims, "run", "of a report that was revised: whether what is taken as told of it was always the same"),
    ):
        if names:
            many = counted(len(names), one, "batches" if one == "batch" else None)
            yield f"{many} {told}; only an older copy shows it, with --previous"


def _by_count(counts: Sequence[tuple[str, int]]) -> Iterator[tuple[int, list[str]]]:
    """What has one count, together; the parts of a run in their own order."""
    order: dict[str, int] = {part: place for place, part in enumerate(WITHHELD)}
    for count in sorted({count for _, count in counts}, reverse=True):
        names = [name for name, own in counts if own == count]
        yield count, sorted(names, key=lambda name: (order.get(name, len(order)), name))


def _proved_log(log: LogFacts, keys: Sequence[VerifierKey]) -> Iterator[str]:
    size = f"{counted(log.size, 'entry', 'entries')} of {counted(log.releases, 'release')}"
    yield f"release log {log.origin}: {size}, root {log.root}"
    yield (
        "every run, report, withdrawal and reveal stands in the log, and nothing else does; "
        "every tile, proof and checkpoint made again from its entries"
    )
    if log.signed:
        whose = "a key that you gave" if keys else "a key that comes with the snapshot itself"
        yield f"{_releases(log.signed)} signed by {', '.join(log.signers)}: {whose}"


def _proved_earlier(found: MirrorVerification) -> str:
    earlier = found.earlier
    assert earlier is not None
    log = f", and all {earlier.entries:,} entries of its log" if earlier.entries is not None else ""
    told = f"{earlier.same:,} the same, {earlier.withdrawn:,} withdrawn and {earlier.revealed:,} revealed since"
    return f"all that the earlier mirror had is here{log}: {counted(earlier.runs, 'run file')}, {told}, as the log says"


def _unproved_log(found: MirrorVerification) -> Iterator[str]:
    log = found.snapshot.log
    if log is None:
        yield "whether runs were removed or changed before: there is no release log"
        return
    if log.unsigned:
        yield f"who made {_releases(log.unsigned)}: unsigned, so whoever can write these files could have made it"
    if log.signed and not found.given.keys:
        yield "whose key that is: get the owner's key from somewhere else and give it with --key"
    if found.extends is None and (found.earlier is None or found.earlier.entries is None):
        yield (
            "whether the log is the one that others were shown: keep log/checkpoint, and give it with "
            "--expected-checkpoint the next time, or an older mirror with --previous"
        )


def _releases(numbers: Sequence[int]) -> str:
    first, last = numbers[0], numbers[-1]
    if last - first == len(numbers) - 1 and len(numbers) > 2:
        return f"releases {first} to {last}"
    return f"release{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
