"""Two verifiers, one of which knows the documentation only, say the same of whole and of tampered snapshots."""

import copy
import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.second_verifier import verifier
from tests.second_verifier.verifier import canonical, sha256, verify

ROOT = Path(__file__).parents[2]
COMMITTED = ROOT / "showcase-data"
REASON = "The frozen replies carried a wrong trading day."


def reference(directory: Path, *keys: str) -> int:
    given = [part for key in keys for part in ("--key", key)]
    command = [sys.executable, "-m", "publisher", "verify", *given, str(directory)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode


class Signer:
    def __init__(self, name: str, seed: int) -> None:
        self.name, self.key = name, Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        blob = b"\x01" + self.key.public_key().public_bytes_raw()
        self.id = hashlib.sha256(name.encode() + b"\n" + blob).digest()[:4]
        self.verifier_key = f"{name}+{self.id.hex()}+{verifier.b64(blob)}"

    def line(self, text: bytes) -> bytes:
        return f"— {self.name} {verifier.b64(self.id + self.key.sign(text))}\n".encode()


OWNER, OTHER = Signer("example.org/bench", 1), Signer("example.org/next", 2)
Signers = list[list[Signer]]


class Snapshot:
    """One report of the committed snapshot, to be changed and written with every hash made again."""

    def __init__(self, needs: str = "runs") -> None:
        self.index = json.loads((COMMITTED / "index.json").read_bytes())
        for entry in sorted(self.index["reports"], key=lambda entry: int(entry["runs"])):
            self.report = json.loads((COMMITTED / "reports" / f"{entry['batch_id']}.json").read_bytes())
            if needs in self.report and not {"superseded", "withdrawals", "reveals"} & set(self.report):
                break
        else:
            pytest.skip(f"no plain report with {needs} in the committed snapshot")
        self.batch = self.report["batch_id"]
        self.index |= {"reports": [entry | {"release": 1}], "log": OWNER.name}
        at = self.report["finished_at"]
        self.index["releases"] = [{"number": 1, "published_at": at, "batches": [self.batch]}]
        names = [line["run_id"] for line in self.report["runs"]]
        self.runs = {name: json.loads((COMMITTED / "runs" / f"{name}.json").read_bytes()) for name in names}

    def seal(self) -> None:
        self.report["definition_hash"] = sha256(canonical(self.report["definition"]))
        for line in self.report["runs"]:
            run = self.runs[line["run_id"]]
            run["provenance"]["definition_hash"] = self.report["definition_hash"]
            for name, salt in run["salts"].items():
                run["digests"][name] = sha256(bytes.fromhex(salt) + canonical(run[name]))
            run["artifact_hash"] = sha256(canonical({key: run[key] for key in ("schema", "run_id", "digests")}))
            line["artifact_hash"] = run["artifact_hash"]

    def second_release(self) -> None:
        at = self.report["finished_at"]
        self.index["releases"].append({"number": 2, "published_at": at, "batches": [], "revised": [self.batch]})

    def withdraw_all(self) -> None:
        self.second_release()
        said = {"reason": REASON, "release": 2}
        self.report["withdrawals"] = [{"run_id": run, **said} for run in sorted(self.runs)]
        for line in self.report["runs"]:
            line |= dict.fromkeys(verifier.COUNTS, 0) | {"verdict": "invalid", "invalid_reason": "withdrawn"}
            line |= {"failure_reasons": [], "cost": None, "input_tokens": None, "output_tokens": None}
            line.pop("original_tokens", None)
            line.pop("working_tokens", None)
            stone = {"schema": "glassbench.withdrawn/1", "run_id": line["run_id"], "batch_id": self.batch}
            self.runs[line["run_id"]] = stone | said | {"artifact_hash": line["artifact_hash"]}
        for measures in self.measures():
            measures["metrics"] = dict.fromkeys(measures["metrics"]) | {"valid-rate": "0.0000"}
            measures["metrics"] |= {"best-case": "1.0000", "worst-case": "0.0000"}
            measures |= {"failed": 0, "passed": 0, "valid": 0, "invalid": measures["planned"], "failure_reasons": {}}
            measures |= {"invalid_reasons": {"withdrawn": measures["planned"]}, "currency": None}
            measures |= {"pass_rate_high": None, "pass_rate_low": None}

    def withhold(self, revealed: set[str]) -> None:
        case, shown = self.report["definition"]["cases"][0], self.report["cases"][0]
        case["withheld"] = list(verifier.PARTS)
        self.seal()
        if revealed:
            self.second_release()
            parts = [part for part in verifier.PARTS if part in revealed]
            self.report["reveals"] = [{"case_id": case["id"], "parts": parts, "release": 2}]
        hidden = set(verifier.PARTS) - revealed
        shown["gold"] = None if "gold" in hidden else shown["gold"]
        shown["question"] = None if {"case", "context"} & hidden else shown["question"]
        for line in self.report["runs"]:
            if line["case_id"] == case["id"]:
                run = self.runs[line["run_id"]]
                for section in hidden - {"gold"}:
                    del run[section], run["salts"][section]
                if "judgment" in hidden:
                    line["failure_reasons"] = sorted(
                        {".".join(name.split(".")[:2]) for name in line["failure_reasons"]}
                    )
        groups = {(group["model_key"], group["variant_id"]): group["measures"] for group in self.report["groups"]}
        for measures in self.measures():
            measures["failure_reasons"] = {}
        for line in self.report["runs"]:
            for measures in (groups[line["model_key"], line["variant_id"]], self.report["models"][line["model_key"]]):
                for name in line["failure_reasons"] if line["verdict"] != "invalid" else ():
                    counts, short = measures["failure_reasons"], ".".join(name.split(".")[:2])
                    counts[short] = counts.get(short, 0) + 1

    def measures(self) -> list[dict[str, Any]]:
        return [*(group["measures"] for group in self.report["groups"]), *self.report["models"].values()]

    def entries(self) -> list[dict[str, Any]]:
        lines, last = self.report["runs"], len(self.index["releases"])
        named = {key: {"batch_id": self.batch, "kind": key} for key in ("run", "report")}
        made = [named["run"] | {key: line[key] for key in ("run_id", "artifact_hash")} for line in lines]
        made.append(named["report"] | {"sha256": sha256(canonical(self.report) if last == 1 else b"as it was")})
        if last == 2:
            made.append({"kind": "release", "number": 1, "index_sha256": sha256(b"as it was")})
            for said in self.report.get("withdrawals", ()):
                artifact = self.runs[said["run_id"]]["artifact_hash"]
                entry = {"run_id": said["run_id"], "reason": said["reason"], "artifact_hash": artifact}
                made.append({"kind": "withdrawal", **entry})
            for said in self.report.get("reveals", ()):
                names = sorted(line["run_id"] for line in lines if line["case_id"] == said["case_id"])
                made += [{"kind": "reveal", "run_id": name, "sections": said["parts"]} for name in names]
            made.append(named["report"] | {"sha256": sha256(canonical(self.report))})
        return [*made, {"kind": "release", "number": last, "index_sha256": sha256(canonical(self.index))}]

    def write(self, root: Path, signers: Signers, origin: str | None = None) -> Path:
        for folder in ("runs", "reports"):
            (root / folder).mkdir(parents=True)
        for name, run in self.runs.items():
            (root / "runs" / f"{name}.json").write_bytes(canonical(run))
        (root / "reports" / f"{self.batch}.json").write_bytes(canonical(self.report))
        self.index["reports"][0]["sha256"] = sha256(canonical(self.report))
        first = hashlib.sha256(b"\x00" + canonical(self.entries()[0])).hexdigest()
        self.index["log"] = origin or (signers[0][0].name if signers[0] else f"glassbench/{first[:16]}")
        (root / "index.json").write_bytes(canonical(self.index))
        write_log(root / "log", self.index["log"], [canonical(entry) for entry in self.entries()], signers)
        return root


def write_log(root: Path, origin: str, entries: list[bytes], signers: Signers) -> None:
    """Write all files of a log, whatever its entries say."""
    shutil.rmtree(root, ignore_errors=True)
    tree, log, checkpoints = verifier.Tree(entries), verifier.Log(), list[bytes]()
    for position, entry in enumerate(map(json.loads, entries)):
        if entry["kind"] == "run":
            log.places[entry["run_id"]] = (position, len(log.sizes) + 1)
        elif entry["kind"] == "release":
            log.sizes.append(position + 1)
    for size, by in zip(log.sizes, signers, strict=True):
        text = f"{origin}\n{size}\n{verifier.b64(tree.root(0, size))}\n".encode()
        checkpoints.append(text + (b"\n" + b"".join(key.line(text) for key in by) if by else b""))
    files = verifier.make_files(entries, log, tree, checkpoints)
    files |= {f"checkpoints/{number}": data for number, data in enumerate(checkpoints, 1)}
    keys = dict.fromkeys(key.verifier_key for by in signers for key in by)
    if keys:
        files["key"] = "".join(f"{key}\n" for key in keys).encode()
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)


def first(root: Path, pattern: str) -> Path:
    return sorted(root.glob(pattern))[0]


def change(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))


def flip_a_byte_of_a_run(root: Path) -> None:
    change(first(root, "runs/*"), b'"model_steps":', b'"model_stepz":')


def change_a_digest(root: Path) -> None:
    path = first(root, "runs/*")
    run = json.loads(path.read_bytes())
    run["digests"]["steps"] = sha256(b"other")
    path.write_bytes(canonical(run))


def withhold_what_the_report_does_not(root: Path) -> None:
    path = first(root, "runs/*")
    run = json.loads(path.read_bytes())
    del run["steps"], run["salts"]["steps"]
    path.write_bytes(canonical(run))


def forget_a_salt(root: Path) -> None:
    path = first(root, "runs/*")
    run = json.loads(path.read_bytes())
    del run["salts"]["steps"]
    path.write_bytes(canonical(run))


def indent_a_run(root: Path) -> None:
    path = first(root, "runs/*")
    path.write_text(json.dumps(json.loads(path.read_bytes()), indent=1), "utf-8")


def say_a_key_twice(root: Path) -> None:
    change(first(root, "runs/*"), b'{"artifact_hash":', b'{"artifact_hash":"","artifact_hash":')


def change_the_report(root: Path) -> None:
    change(first(root, "reports/*"), b'"verdict":"', b'"verdict":"p')


def say_fewer_runs_in_the_index(root: Path) -> None:
    path = root / "index.json"
    index = json.loads(path.read_bytes())
    index["reports"][0]["runs"] -= 1
    path.write_bytes(canonical(index))


def rewrite_log(edit: Callable[[list[bytes]], None]) -> Callable[[Path], None]:
    """Change the entries and make all else of the log again, signed by its owner."""

    def tamper(root: Path) -> None:
        size = int((root / "log" / "checkpoint").read_text("utf-8").split("\n")[1])
        entries = verifier.read_entries(root / "log", size)
        edit(entries)
        releases = sum(b'"kind":"release"' in entry for entry in entries)
        write_log(root / "log", OWNER.name, entries, [[OWNER]] * releases)

    return tamper


def swap_entries(entries: list[bytes]) -> None:
    entries[2], entries[3] = entries[3], entries[2]


def spell_an_entry_otherwise(entries: list[bytes]) -> None:
    entries[0] = entries[0].replace(b",", b", ", 1)


def act_in_the_release_that_brought_the_run(kind: str) -> Callable[[list[bytes]], None]:
    """Put a withdrawal, or a reveal, of the first run behind its report, where all else is as it was."""

    def edit(entries: list[bytes]) -> None:
        run = json.loads(entries[0])
        act = {"kind": kind, "run_id": run["run_id"]}
        act |= (
            {"sections": ["steps"]} if kind == "reveal" else {"artifact_hash": run["artifact_hash"], "reason": REASON}
        )
        entries.insert(-1, canonical(act))

    return edit


def sign_for_another_text(root: Path) -> None:
    line = OWNER.line(b"another text")
    for path in [first(root, "log/checkpoint"), *root.glob("log/checkpoints/*"), *root.glob("log/inclusion/*")]:
        head = path.read_bytes().rpartition("— ".encode())[0]
        path.write_bytes(head + line)


def add(name: str, data: bytes = b"{}") -> Callable[[Path], None]:
    def tamper(root: Path) -> None:
        (root / name).write_bytes(data)

    return tamper


def drop(pattern: str) -> Callable[[Path], None]:
    return lambda root: first(root, pattern).unlink()


TAMPERED: dict[str, Callable[[Path], None]] = {
    "a flipped byte of a run": flip_a_byte_of_a_run,
    "a changed digest": change_a_digest,
    "a section withheld against the report": withhold_what_the_report_does_not,
    "a section without its salt": forget_a_salt,
    "a run in another spelling": indent_a_run,
    "a key that stands twice": say_a_key_twice,
    "a dropped run": drop("runs/*"),
    "a run too many": add("runs/x-0001.json"),
    "a changed report": change_the_report,
    "fewer runs in the index": say_fewer_runs_in_the_index,
    "no log, where the index names one": lambda root: shutil.rmtree(root / "log"),
    "two swapped entries": rewrite_log(swap_entries),
    "an entry that is left out": rewrite_log(lambda entries: entries.__delitem__(5)),
    "an entry in another spelling": rewrite_log(spell_an_entry_otherwise),
    "a withdrawal in the release of its run": rewrite_log(act_in_the_release_that_brought_the_run("withdrawal")),
    "a reveal in the release of its run": rewrite_log(act_in_the_release_that_brought_the_run("reveal")),
    "a changed byte of a tile": lambda root: change(first(root, "log/tile/0/000.p/*"), b"", b"x"),
    "a changed checkpoint size": lambda root: change(root / "log" / "checkpoint", b"\n2", b"\n3"),
    "a signature of another text": sign_for_another_text,
    "a key that signed nothing": add("log/key", f"{OWNER.verifier_key}\n{OTHER.verifier_key}\n".encode()),
    "a removed inclusion proof": drop("log/inclusion/*"),
    "a file too many in the log": add("log/tile/0/001"),
}


class Pair:
    """A snapshot with what the second verifier says at once, and the reference in its own time."""

    def __init__(self, pool: ThreadPoolExecutor, root: Path, *keys: Signer) -> None:
        given = [key.verifier_key for key in keys]
        self.faults = verify(root, given)
        self.reference: Future[int] = pool.submit(reference, root, *given)

    def both_hold(self) -> bool:
        return (self.faults, self.reference.result()) == ([], 0)

    def both_find(self) -> bool:
        return bool(self.faults) and self.reference.result() == 5


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Pair]:
    """Start everything at once: the reference takes most of a second for each."""
    root = tmp_path_factory.mktemp("snapshots")
    pool = ThreadPoolExecutor(4)
    made = {"committed": Pair(pool, COMMITTED)}
    one = Snapshot()
    one.seal()
    whole = copy.deepcopy(one).write(root / "whole", [[OWNER]])
    made["signed"] = Pair(pool, whole, OWNER)
    made["another key"] = Pair(pool, whole, OTHER)
    made["unsigned"] = Pair(pool, copy.deepcopy(one).write(root / "unsigned", [[]]))
    for name, tamper in TAMPERED.items():
        target = shutil.copytree(whole, root / name.replace(" ", "-"))
        tamper(target)
        made[name] = Pair(pool, target)
    gone = copy.deepcopy(one)
    gone.withdraw_all()
    made["withdrawn"] = Pair(pool, copy.deepcopy(gone).write(root / "gone", [[OWNER], [OTHER]]), OWNER, OTHER)
    made["first signed later"] = Pair(pool, copy.deepcopy(gone).write(root / "later", [[], [OWNER]]), OWNER)
    made["no longer signed"] = Pair(pool, copy.deepcopy(gone).write(root / "lapsed", [[OWNER], []]), OWNER)
    next(iter(gone.runs.values()))["reason"] = "The owner would rather not say."
    made["another reason"] = Pair(pool, gone.write(root / "reason", [[OWNER], [OWNER]]))
    for name, revealed in (("withheld", set[str]()), ("partly revealed", {"case", "context"})):
        hidden = Snapshot("statistics")
        hidden.withhold(revealed)
        signers = [[OWNER]] * len(hidden.index["releases"])
        made[name] = Pair(pool, hidden.write(root / name.replace(" ", "-"), signers))
    again = copy.deepcopy(one)
    again.second_release()
    made["a revision without an act"] = Pair(pool, again.write(root / "again", [[OWNER], [OWNER]]))
    number = copy.deepcopy(one)
    number.measures()[0]["metrics"]["latency-median"] = "0.01"
    made["a mean"] = Pair(pool, number.write(root / "mean", [[OWNER]]))
    answer = copy.deepcopy(one)
    next(iter(answer.runs.values()))["result"]["final_output"] = "Another answer."
    answer.seal()
    made["an answer"] = Pair(pool, answer.write(root / "answer", [[OWNER]]))
    pool.shutdown(wait=False)
    return made


def test_the_committed_snapshot_holds_for_both(pairs: dict[str, Pair]) -> None:
    assert pairs["committed"].both_hold(), pairs["committed"].faults
    if not (COMMITTED / "log").exists():
        # "A snapshot whose releases were all made before there was a log has no `log/`": its index names none either.
        assert "log" not in json.loads((COMMITTED / "index.json").read_bytes())


@pytest.mark.parametrize(
    "name", ["signed", "unsigned", "withdrawn", "first signed later", "withheld", "partly revealed"]
)
def test_a_snapshot_that_was_made_from_the_documents_holds_for_both(pairs: dict[str, Pair], name: str) -> None:
    assert pairs[name].both_hold(), pairs[name].faults


@pytest.mark.parametrize(
    "name", [*TAMPERED, "another key", "no longer signed", "another reason", "a revision without an act"]
)
def test_a_snapshot_that_was_tampered_with_is_found_by_both(pairs: dict[str, Pair], name: str) -> None:
    assert pairs[name].both_find(), (pairs[name].faults, pairs[name].reference.result())


@pytest.mark.parametrize("name", ["a mean", "an answer"])
def test_what_only_making_numbers_again_finds_is_found_by_the_reference_alone(
    pairs: dict[str, Pair], name: str
) -> None:
    assert (pairs[name].faults, pairs[name].reference.result()) == ([], 5)


def test_a_log_that_was_cut_back_is_found_by_the_checkpoint_that_was_kept(tmp_path: Path) -> None:
    one = Snapshot()
    one.seal()
    kept = copy.deepcopy(one)
    kept.withdraw_all()
    checkpoint = (kept.write(tmp_path / "kept", [[OWNER], [OWNER]]) / "log" / "checkpoint").read_bytes()
    cut = one.write(tmp_path / "cut", [[OWNER]])
    assert verify(tmp_path / "kept", [OWNER.verifier_key], checkpoint) == []
    assert verify(cut, [OWNER.verifier_key]) == []
    assert verify(cut, [OWNER.verifier_key], checkpoint) == ["the log doesn't extend the checkpoint that was kept"]
