"""A release log that somebody changed, cut or swapped: the page of a run tells what of it doesn't hold."""

from __future__ import annotations

import json

import pytest

from dataset.canonical import canonical_bytes
from tests.browser.checked_site import FIRST, LAST, OWNER, RUN, STRANGER, WITHDRAWN, CheckedSite
from tests.browser.corpora import jcs_vectors, merkle_vectors
from tests.browser.panel import Panel
from tests.browser.tampering import read
from tests.browser.visit import Visit

pytestmark = pytest.mark.browser


def test_a_changed_or_swapped_proof_is_none_of_this_run(checked: CheckedSite, panel: Panel) -> None:
    name = f"log/inclusion/{RUN}"
    proof = checked.file(name)
    line = proof.split(b"\n")[2]
    other = (b"A" if line[:1] != b"A" else b"B") + line[1:]
    swapped = checked.file(f"log/inclusion/{WITHDRAWN}")
    for spoiled in (proof.replace(line, other), proof.replace(b"index 0", b"index 1"), swapped):
        outcome = panel.check({name: spoiled})
        assert outcome.failing == ["log entry"]
        assert outcome.text("log entry") == "its proof isn't one of this run with this hash"
    # The checkpoint in it is the latest one, which the latest log begins with: only the entry isn't this run's.
    outcome = panel.check({name: checked.file(f"log/inclusion/{LAST}")})
    assert outcome.failing == ["log entry"]


def test_a_checkpoint_of_another_size_is_named(checked: CheckedSite, panel: Panel) -> None:
    latest = checked.file("log/checkpoint")
    outcome = panel.check({"log/checkpoint": latest.replace(b"\n15\n", b"\n14\n")})
    assert outcome.failing == ["latest log", "signature"]
    assert outcome.text("latest log") == "its proof leads to another checkpoint"
    assert outcome.text("signature").endswith("signed isn't this checkpoint")


def test_a_log_that_lost_entries_is_named(checked: CheckedSite, site: Visit) -> None:
    panel = Panel(site, LAST)
    outcome = panel.check({"log/checkpoint": checked.file("log/checkpoints/1")})
    assert outcome.failing == ["latest log"]
    assert outcome.text("latest log") == "it has 4 entries, fewer than the 12 up to this run's release"


def test_another_log_is_named_with_both_names(checked: CheckedSite, panel: Panel) -> None:
    outcome = panel.check({"log/checkpoint": checked.log("another")["log/checkpoint"]})
    assert outcome.failing == ["latest log", "signature"]
    said = 'it is another log, "example.org/stranger", than "example.org/first"'
    assert outcome.text("latest log") == said
    assert outcome.text("signature").startswith("the log isn't signed with a key from beside this page")


def test_a_history_that_was_written_again_fails_though_its_owner_signed_it(checked: CheckedSite, panel: Panel) -> None:
    other = checked.log("rewritten")
    outcome = panel.check({name: other[name] for name in ("log/checkpoint", "log/consistency/1")})
    assert outcome.failing == ["latest log"]
    assert outcome.text("latest log") == "no proof that its 15 entries begin with the 4 up to this run's release"


def test_a_consistency_proof_of_another_release_is_named(checked: CheckedSite, panel: Panel) -> None:
    outcome = panel.check({"log/consistency/1": checked.file("log/consistency/2")})
    assert outcome.failing == ["latest log"]
    assert outcome.text("latest log") == "its proof begins at 8 entries, and not at the 4 up to this run's release"


def test_a_log_that_was_swapped_whole_is_caught_by_a_key_from_elsewhere_alone(
    checked: CheckedSite, panel: Panel
) -> None:
    swapped = checked.log("another")
    assert panel.check(swapped).failing == []
    outcome = panel.check(swapped, key=str(OWNER.verifier))
    assert outcome.failing == ["signature"]
    assert outcome.text("signature") == "the log isn't signed with the key that you gave"


def test_a_pasted_key_is_the_one_that_is_looked_for(checked: CheckedSite, panel: Panel) -> None:
    outcome = panel.check(key=f"  {OWNER.verifier}\n")
    assert outcome.text("signature").endswith(f"{OWNER.verifier.key_id} signed the 15 entries: the key that you gave")
    # the key of an older release vouches for what there was then
    outcome = panel.check(key=str(FIRST.verifier))
    assert outcome.text("signature").endswith(f"{FIRST.verifier.key_id} signed the 4 entries: the key that you gave")
    assert panel.check(key=str(STRANGER.verifier)).failing == ["signature"]
    assert panel.check({"log/key": 404}, key=str(OWNER.verifier)).failing == []


def test_what_is_no_key_fails_in_words(site: Visit, panel: Panel) -> None:
    secret = "PRIVATE+" + "KEY+a+00000000+AQ=="
    for key in ("x", "a+b+c", "<b>", "example.org/owner+00000000+AQ==", "\u202e", secret):
        assert panel.check(key=key).failing == ["signature"], key
    assert site.faults == []


def test_a_key_under_another_name_or_id_is_no_key(panel: Panel) -> None:
    key = str(OWNER.verifier)
    for spoiled in (key.replace("owner", "other"), key.replace(OWNER.verifier.key_id, "00000000")):
        assert panel.check(key=spoiled).text("signature") == "that isn't a public key with its own id"


def test_an_unsigned_log_says_so(checked: CheckedSite, panel: Panel) -> None:
    unsigned = checked.log("unsigned")
    outcome = panel.check(unsigned)
    assert outcome.failing == []
    assert outcome.of("unsigned") == ["signature"]
    assert outcome.result == f"Run {RUN}: nothing differs; signature unsigned."
    assert panel.check(unsigned, key=str(OWNER.verifier)).failing == ["signature"]


def test_a_snapshot_without_a_log_says_so(checked: CheckedSite, panel: Panel) -> None:
    index = {name: value for name, value in read(checked.file("index.json")).items() if name != "log"}
    outcome = panel.check({"index.json": canonical_bytes(index)})
    assert outcome.failing == []
    assert outcome.of("missing") == ["release log"]
    assert outcome.result == f"Run {RUN}: nothing differs; release log missing."


def test_a_missing_or_senseless_file_fails_in_words_and_throws_nothing(site: Visit, panel: Panel) -> None:
    errors: list[str] = []
    panel.page.on("pageerror", lambda error: errors.append(str(error)))
    for name in (
        f"runs/{RUN}.json",
        "index.json",
        f"log/inclusion/{RUN}",
        "log/checkpoint",
        "log/consistency/1",
        "log/key",
    ):
        for answer in (404, 0, b"", b"<!doctype html>", b"\xff\xff\n\n\n", b"null", b"1\n2\n3\n\n4\n5\n6\n"):
            outcome = panel.check({name: answer})
            assert outcome.failing or outcome.of("missing"), (name, answer)
    assert errors == []


def test_the_proofs_of_public_vectors_are_judged_as_they_should_be(panel: Panel) -> None:
    for kind, judge in (
        ("inclusion", "inclusionHolds(base64(v.leafHash, 32), v.leafIdx, v.treeSize, base64(v.root, 32), hashes)"),
        ("consistency", "consistencyHolds(v.size1, v.size2, base64(v.root1), base64(v.root2), hashes)"),
    ):
        vectors = merkle_vectors(kind)
        found = panel.page.evaluate(
            f"""async (text) => Promise.all(JSON.parse(text).map(async (v) => {{
                try {{
                    const hashes = (v.proof ?? []).map((hash) => base64(hash, 32));
                    return await {judge};
                }} catch {{
                    return false;
                }}
            }}))""",
            json.dumps(vectors),
        )
        differing = [v["desc"] for v, holds in zip(vectors, found, strict=True) if holds == v["wantErr"]]
        assert vectors
        assert differing == []


def test_public_vectors_of_canonical_json_are_written_as_they_should_be(panel: Panel) -> None:
    for name, (given, wanted) in jcs_vectors().items():
        script = "(text) => { try { return canonical(JSON.parse(text)); } catch (error) { return error.message; } }"
        found = panel.page.evaluate(script, given)
        # numbers that are no integers have no place in a run
        assert found == ("it holds a number that is no safe integer" if name == "values" else wanted), name
