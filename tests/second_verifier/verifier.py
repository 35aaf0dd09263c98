"""A second verifier of Glassbench snapshots, written from two pages of the documentation and from nothing else.

It knows docs/reference/artifact.md and docs/reference/release-log.md, and no line of the project's code: so it shows
that these pages are enough to check every byte, hash, proof and signature of a snapshot. It judges no answer again.

    python verifier.py [--key KEY]... [--kept CHECKPOINT] SNAPSHOT
"""

import argparse
import base64
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count, product
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

SECTIONS = (
    *("case", "provenance", "context", "visible_tools", "steps"),
    *("guardrail_checks", "result", "judgment", "output_checks"),
)
WITH_IT = {
    "gold": {"output_checks", "judgment"},
    "output_checks": {"gold"},
    "case": {"context", "gold"},
    "context": {"guardrail_checks"},
    "steps": {"result", "guardrail_checks"},
    "result": {"steps"},
}
"""What would give a withheld part away, and is withheld with it."""
PARTS = (*(name for name in SECTIONS if name != "provenance"), "gold")
COUNTS = ("corrections", "model_steps", "tool_calls", "refused_calls", "latency_ms")
ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
HASH = re.compile(r"[0-9a-f]{64}")
SALT = re.compile(r"[0-9a-f]{32}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
WHITE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
"""The characters with the property White_Space in Unicode."""
ENTRY_KEYS = {
    "run": {"run_id", "batch_id", "artifact_hash"},
    "report": {"batch_id", "sha256"},
    "withdrawal": {"run_id", "artifact_hash", "reason"},
    "reveal": {"run_id", "sections"},
    "release": {"number", "index_sha256"},
}
Malformed = (KeyError, IndexError, TypeError, AttributeError, ValueError, OSError, RecursionError)


def sha256(data: bytes) -> str:
    """Give the hash in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def canonical(value: Any) -> bytes:
    """Write a JSON value in its RFC 8785 form; numbers are integers here."""

    def ordered(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: ordered(part[key]) for key in sorted(part, key=lambda key: key.encode("utf-16-be"))}
        return [ordered(item) for item in part] if isinstance(part, list) else part

    return json.dumps(ordered(value), ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def parse(data: bytes) -> Any:
    """Read a document; raise ValueError where it is anything but the canonical form of its value."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise ValueError("a key stands twice")
        return dict(pairs)

    def refuse(text: str) -> Any:
        raise ValueError(f"the number {text[:40]}")

    def measure(part: Any, depth: int) -> None:
        if depth > 64:
            raise ValueError("nested deeper than 64")
        if isinstance(part, int) and abs(part) >= 2**53:
            raise ValueError("an integer of 2^53 or beyond")
        if isinstance(part, dict | list):
            for item in part.values() if isinstance(part, dict) else part:
                measure(item, depth + isinstance(item, dict | list))

    value = json.loads(data.decode("utf-8"), object_pairs_hook=unique, parse_float=refuse, parse_constant=refuse)
    measure(value, 1)
    if canonical(value) != data:
        raise ValueError("not its canonical form")
    return value


@dataclass
class Facts:
    """What the reports say and the log must say too."""

    index: Any = None
    runs: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """For each batch its runs and their hashes, in the order of the report, superseded ones last."""
    reports: dict[str, str] = field(default_factory=dict)
    withdrawn: dict[str, tuple[str, str, int]] = field(default_factory=dict)
    revealed: dict[str, set[tuple[str, int]]] = field(default_factory=dict)
    """For each run the parts that were revealed, each with its release."""
    finished: dict[str, str] = field(default_factory=dict)
    entries: int = 0


# Reports and runs


def check_snapshot(root: Path, facts: Facts) -> Iterator[str]:
    """Check index, reports and run files, and collect what the log has to hold."""
    data = (root / "index.json").read_bytes()
    facts.index = index = parse(data)
    if set(index) - {"log"} != {"schema", "reports", "releases", "synthetic"}:
        yield "index.json: other keys than an index has"
    if index["schema"] != "glassbench.index/1":
        yield "index.json: another schema"
    batches = [entry["batch_id"] for entry in index["reports"]]
    if batches != sorted(set(batches)) or not batches:
        yield "index.json: reports aren't sorted by batch id, or there are none"
    added: dict[str, int] = {}
    for number, release in enumerate(index["releases"], 1):
        if set(release) - {"revised"} != {"number", "published_at", "batches"} or release["number"] != number:
            yield f"index.json: release {number} has other keys or another number"
        revised = release.get("revised", [])
        if not (release["batches"] or revised) or ("revised" in release and not revised):
            yield f"index.json: release {number} adds and revises nothing, or says that with an empty list"
        for batch in release["batches"]:
            if added.setdefault(batch, number) != number:
                yield f"index.json: {batch} is added twice"
        for batch in revised:
            if added.get(batch, number) >= number:
                yield f"index.json: release {number} revises {batch}, which doesn't stand before it"
    if set(added) != set(batches):
        yield "index.json: the batches of the releases aren't those of the reports"
    files: set[Path] = set()
    seen: dict[str, str] = {}
    for entry in index["reports"]:
        if set(entry) != {"batch_id", "sha256", "runs", "release"} or not ID.fullmatch(entry["batch_id"]):
            yield f"index.json: the entry of {entry['batch_id']} has other keys, or no id"
            continue
        if entry["release"] != added.get(entry["batch_id"]):
            yield f"index.json: {entry['batch_id']} says another release than the one that added it"
        path = root / "reports" / f"{entry['batch_id']}.json"
        files.add(path)
        try:
            yield from check_report(root, path, entry, facts, files, seen)
        except Malformed as error:
            yield f"{path.relative_to(root)}: can't be read: {type(error).__name__}: {error}"
    before = ""
    for release in index["releases"]:
        before = max((facts.finished.get(batch, "") for batch in release["batches"]), default=before)
        if release["published_at"] != before or not TIME.fullmatch(before):
            yield f"index.json: release {release['number']} isn't dated by the last run that it added"
    for folder in ("reports", "runs"):
        for path in sorted((root / folder).rglob("*.json")):
            if path not in files:
                yield f"{path.relative_to(root)}: nothing leads to this file"


def check_report(
    root: Path, path: Path, entry: Any, facts: Facts, files: set[Path], seen: dict[str, str]
) -> Iterator[str]:
    """Check one report: its hash, the place of each line, its run files, its counts."""
    data = path.read_bytes()
    batch, report = entry["batch_id"], parse(data)
    facts.reports[batch] = sha256(data)
    if sha256(data) != entry["sha256"]:
        yield f"{batch}: the report hasn't the sha256 of the index"
    facts.finished[batch] = report["finished_at"]
    ordered = [*report["runs"], *report.get("superseded", ())]
    if report["schema"] != "glassbench.report/1" or report["batch_id"] != batch or len(ordered) != entry["runs"]:
        yield f"{batch}: another schema, batch id or number of runs"
    if report["synthetic"] is not facts.index["synthetic"]:
        yield f"{batch}: synthetic, and the index isn't, or the reverse"
    if [] in (report.get(key) for key in ("superseded", "withdrawals", "reveals")):
        yield f"{batch}: an empty list where its key should be absent"
    definition = report["definition"]
    if sha256(canonical(definition)) != report["definition_hash"]:
        yield f"{batch}: definition_hash isn't that of the definition"
    hidden: dict[str, set[str]] = {}
    revealed: dict[str, set[tuple[str, int]]] = {}
    reveals = report.get("reveals", [])
    if [said["release"] for said in reveals] != sorted(said["release"] for said in reveals):
        yield f"{batch}: reveals aren't in the order of releases"
    for case, shown in zip(definition["cases"], report["cases"], strict=True):
        left = hidden[case["id"]] = set(case.get("withheld", ()))
        if [part for part in PARTS if part in left] != case.get("withheld", []) or ("withheld" in case and not left):
            yield f"{batch}: what case {case['id']} withholds isn't in the order of parts, each once"
        if not all(WITH_IT.get(part, set()) <= left for part in left):
            yield f"{batch}: what case {case['id']} leaves public gives a withheld part away"
        for said in reveals:
            if said["case_id"] == case["id"]:
                parts = set(said["parts"])
                if set(said) != {"case_id", "parts", "release"} or not parts or not parts <= left:
                    yield f"{batch}: reveals of case {case['id']} what isn't withheld"
                left -= parts
                if not all(WITH_IT.get(part, set()) <= left for part in left):
                    yield f"{batch}: what is revealed of case {case['id']} gives a withheld part away"
                revealed.setdefault(case["id"], set()).update((part, said["release"]) for part in parts)
        for name, held, key in (("question", {"case", "context"}, "hash"), ("gold", {"gold"}, "gold_hash")):
            if (shown[name] is None) != bool(held & left):
                yield f"{batch}: the {name} of case {case['id']} is null and shouldn't be, or the reverse"
            elif shown[name] is not None and sha256(canonical(shown[name])) != case[key]:
                yield f"{batch}: the {name} of case {case['id']} hasn't the hash of the definition"
    if {said["case_id"] for said in reveals} - set(hidden):
        yield f"{batch}: reveals a case that isn't in the definition"
    left_until = {said["run_id"]: said["release"] for said in report.get("withdrawals", ())}
    for said in reveals:
        own = [line["run_id"] for line in ordered if line["case_id"] == said["case_id"]]
        if all(run in left_until and left_until[run] <= said["release"] for run in own):
            yield f"{batch}: reveals case {said['case_id']}, of which every run was withdrawn"
    template = definition["template"]
    planned = [
        {"case_id": case["id"], "variant_id": variant["id"], "repeat": repeat, "model_key": model["key"]}
        for case, repeat, variant, model in product(
            definition["cases"], range(1, template["repeats"] + 1), definition["variants"], definition["models"]
        )
    ]
    if template.get("order") == "by-hash":
        planned.sort(key=lambda place: sha256("\x1f".join(map(str, place.values())).encode()))
    withdrawn = {said["run_id"]: said for said in report.get("withdrawals", ())}
    if any(set(said) != {"run_id", "reason", "release"} for said in withdrawn.values()):
        yield f"{batch}: withdrawals have other keys"
    if [said["run_id"] for said in report.get("withdrawals", ())] != sorted(withdrawn):
        yield f"{batch}: withdrawals aren't sorted by run id, each once"
    if len(report["runs"]) != len(planned):
        yield f"{batch}: {len(report['runs'])} lines for {len(planned)} planned runs"
    superseded = {line["run_id"]: line for line in report.get("superseded", ())}
    lines: list[tuple[Any, dict[str, Any], str | None]] = []
    for position, (line, place) in enumerate(zip(report["runs"], planned, strict=False), 1):
        first = f"{batch}-{position:04d}"
        match = re.fullmatch(re.escape(first) + r"(?:-r([2-9]|[1-9][0-9]+))?", line["run_id"])
        if match is None:
            yield f"{batch}: position {position} holds {line['run_id']}"
            continue
        before: str | None = None
        for name in [first, *(f"{first}-r{number}" for number in range(2, int(match[1] or 1)))] if match[1] else []:
            if name not in superseded or superseded[name]["verdict"] != "invalid":
                yield f"{name}: was tried again, and isn't there as superseded and invalid"
            if name in superseded:
                lines.append((superseded.pop(name), place, before))
            before = name
        lines.append((line, place, before))
    for name in [*superseded, *(set(withdrawn) - {line["run_id"] for line, _, _ in lines})]:
        yield f"{batch}: {name} is superseded or withdrawn, and in no place"
    for line, place, before in lines:
        file = root / "runs" / f"{line['run_id']}.json"
        files.add(file)
        try:
            run = parse(file.read_bytes())
            if line["run_id"] in withdrawn:
                said = withdrawn[line["run_id"]]
                facts.withdrawn[line["run_id"]] = (line["artifact_hash"], said["reason"], said["release"])
                stone = {"schema": "glassbench.withdrawn/1", "batch_id": batch, "artifact_hash": line["artifact_hash"]}
                if run != {**said, **stone}:
                    yield f"{line['run_id']}: the file isn't the tombstone of its line and withdrawal"
                want = {**place, **dict.fromkeys(COUNTS, 0), "verdict": "invalid", "invalid_reason": "withdrawn"}
                want |= {"failure_reasons": [], "cost": None, "input_tokens": None, "output_tokens": None}
            else:
                yield from check_artifact(run, hidden[place["case_id"]])
                want = {**line_of(run, line), **place}
                if run["provenance"]["supersedes"] != before or run["provenance"]["batch_id"] != batch:
                    yield f"{line['run_id']}: provenance names another batch or run before it"
                if seen.setdefault(run["digests"]["steps"], line["run_id"]) != line["run_id"]:
                    yield f"{line['run_id']}: the same digest of steps as {seen[run['digests']['steps']]}"
            want |= {"run_id": run["run_id"], "artifact_hash": run["artifact_hash"]}
            want |= {"supersedes": before} if before else {}
            for key in sorted(want.keys() | line.keys()):
                if want.get(key, want) != line.get(key, want):
                    yield f"{line['run_id']}: the report says another {key} than its file or place"
        except Malformed as error:
            yield f"{line['run_id']}: can't be read: {type(error).__name__}: {error}"
        if place["case_id"] in revealed:
            gone = withdrawn.get(line["run_id"], {}).get("release")
            facts.revealed[line["run_id"]] = {
                (part, number) for part, number in revealed[place["case_id"]] if gone is None or number < gone
            }
    tried = [line["run_id"] for line, _, _ in lines if line not in report["runs"]]
    if tried != [line["run_id"] for line in report.get("superseded", ())]:
        yield f"{batch}: superseded runs aren't in planned order"
    facts.runs[batch] = [(line["run_id"], line["artifact_hash"]) for line in ordered]
    yield from check_counts(report, planned)


def check_artifact(run: Any, hidden: set[str]) -> Iterator[str]:
    """Check digests, hash and withheld sections of one artifact, and its verdict where all that it needs is there."""
    name = run["run_id"]
    shown = set(SECTIONS) - hidden
    if set(run) != {"schema", "run_id", "salts", "digests", "artifact_hash"} | shown:
        yield f"{name}: other sections than the report says, or other keys than an artifact has"
    if run["schema"] != "glassbench.run/1":
        yield f"{name}: another schema"
    if set(run["salts"]) != shown or set(run["digests"]) != set(SECTIONS):
        yield f"{name}: other salts or digests than its sections need"
    for section in SECTIONS:
        salt = run["salts"].get(section, "")
        if section in run and (
            not SALT.fullmatch(salt)
            or sha256(bytes.fromhex(salt) + canonical(run[section])) != run["digests"].get(section)
        ):
            yield f"{name}: section {section} hasn't its digest"
    if sha256(canonical({key: run[key] for key in ("schema", "run_id", "digests")})) != run["artifact_hash"]:
        yield f"{name}: artifact_hash isn't that of its digests"
    if shown >= {"result", "judgment", "output_checks"}:
        result, checks = run["result"], run["output_checks"]
        for check in checks:
            seen, want, relation = check["observed"], check["expected"], check["relation"]
            low, high = (want, seen) if relation == "at_least" else (seen, want)
            if check["passed"] != (seen == want if relation == "equals" else int(low) <= int(high)):
                yield f"{name}: assertion {check['id']} doesn't follow from what it observed"
        code = result["error"]["code"] if result["error"] else None
        cut = result["status"] == "provider_failed" and code == "output_truncated"
        invalid = not cut and result["status"] in ("provider_failed", "harness_failed", "cancelled")
        passed = not cut and bool(checks) and all(check["passed"] for check in checks)
        reasons = ["output_truncated"] * cut + [check["id"] for check in checks if not check["passed"]]
        judged = run["judgment"]
        if (judged["verdict"], judged["invalid_reason"], judged["failure_reasons"]) != (
            "invalid" if invalid else "pass" if passed else "fail",
            code if invalid else None,
            [] if invalid else reasons,
        ):
            yield f"{name}: the verdict or its reasons don't follow from status and assertions"


def line_of(run: Any, line: Any) -> dict[str, Any]:
    """Make a report's line from what an artifact shows; what it withholds is the line's own claim."""
    want: dict[str, Any] = dict(line) | {"model_key": run["provenance"]["model"]["key"]}
    if "judgment" in run:
        want |= {key: run["judgment"][key] for key in ("verdict", "failure_reasons", "invalid_reason")}
    else:
        want["failure_reasons"] = sorted({".".join(reason.split(".")[:2]) for reason in line["failure_reasons"]})
    if "case" in run:
        want |= {key: run["case"][key] for key in ("case_id", "variant_id", "repeat")}
    context = run.get("context")
    if "result" in run:
        result = run["result"]
        want |= {key: result[key] for key in (*COUNTS, "cost")}
        usage = {key: result["usage"][key] for key in ("input_tokens", "output_tokens")}
        spent = context is not None and context.get("opening_budget") is None
        if result["status"] != "context_failed" or spent or run.get("steps"):
            want |= usage
        elif context is not None and "steps" in run:
            want |= dict.fromkeys(usage, 0)
    if context is not None:
        for key in ("original_tokens", "working_tokens"):
            want.pop(key, None)
            lost = key == "working_tokens" and all(item["decision"] == "omitted" for item in context["items"])
            if context.get("opening_budget") is not None and context[key] is not None and not lost:
                want[key] = context[key]
    want.pop("supersedes", None)
    return want


def check_counts(report: Any, planned: list[dict[str, Any]]) -> Iterator[str]:
    """Check the counts and pass rates of every group and model."""
    groups = {(group["model_key"], group["variant_id"]): group["measures"] for group in report["groups"]}
    if len(groups) != len(report["groups"]) or set(groups) != {(p["model_key"], p["variant_id"]) for p in planned}:
        yield f"{report['batch_id']}: groups aren't each model with each variant"
    if set(report["models"]) != {place["model_key"] for place in planned}:
        yield f"{report['batch_id']}: models aren't those of the definition"
    for name, said in [*groups.items(), *(((key,), value) for key, value in report["models"].items())]:

        def belongs(place: Any, name: tuple[str, ...] = name) -> bool:
            return (place["model_key"], place["variant_id"])[: len(name)] == name

        verdicts = [line["verdict"] for line in report["runs"] if belongs(line)]
        valid, passed = len(verdicts) - verdicts.count("invalid"), verdicts.count("pass")
        total = sum(map(belongs, planned))
        want = {"planned": total, "recorded": len(verdicts), "valid": valid, "passed": passed}
        want |= {"failed": valid - passed, "invalid": total - valid}
        whole = round(Fraction(passed, valid) * 10_000) if valid else 0
        rate = f"{whole // 10_000}.{whole % 10_000:04d}" if valid else None
        if {key: said[key] for key in want} != want or said["metrics"]["pass-rate"] != rate:
            yield f"{report['batch_id']}: the counts or the pass rate of {' × '.join(name)} don't follow from the lines"


# The release log


class Tree:
    """The Merkle tree of RFC 9162 over the entries."""

    def __init__(self, entries: list[bytes]) -> None:
        self.leaves = [hashlib.sha256(b"\x00" + entry).digest() for entry in entries]
        self.known: dict[tuple[int, int], bytes] = {}

    def root(self, low: int, high: int) -> bytes:
        """Hash the tree of the leaves from `low` up to `high`."""
        if high - low == 1:
            return self.leaves[low]
        if (low, high) not in self.known:
            middle = low + split(high - low)
            pair = self.root(low, middle) + self.root(middle, high)
            self.known[low, high] = hashlib.sha256(b"\x01" + pair).digest()
        return self.known[low, high]

    def inclusion(self, index: int, low: int, high: int) -> list[bytes]:
        """Prove that a leaf is in a tree: section 2.1.3.1."""
        if high - low == 1:
            return []
        middle = low + split(high - low)
        if index < middle:
            return [*self.inclusion(index, low, middle), self.root(middle, high)]
        return [*self.inclusion(index, middle, high), self.root(low, middle)]

    def consistency(self, old: int, low: int, high: int, whole: bool = True) -> list[bytes]:
        """Prove that the tree up to `high` begins with the one up to `old`: section 2.1.4.1."""
        if old == high:
            return [] if whole else [self.root(low, high)]
        middle = low + split(high - low)
        if old <= middle:
            return [*self.consistency(old, low, middle, whole), self.root(middle, high)]
        return [*self.consistency(old, middle, high, False), self.root(low, middle)]


def split(size: int) -> int:
    """Give the largest power of two below a size."""
    return int(1 << (size - 1).bit_length() - 1)


def tile(number: int, width: int = 256) -> str:
    """Write the place of a tile or bundle: groups of three digits, and the width of a partial one."""
    digits = f"{number:03d}"
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    groups = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    return "/".join([*(f"x{group}" for group in groups[:-1]), groups[-1]]) + (f".p/{width}" if width < 256 else "")


def b64(data: bytes) -> str:
    """Write standard base64."""
    return base64.b64encode(data).decode("ascii")


def unb64(text: str) -> bytes:
    """Read base64 in the one spelling that its bytes have."""
    data = base64.b64decode(text, validate=True)
    if b64(data) != text:
        raise ValueError("base64 in another spelling")
    return data


@dataclass(frozen=True)
class Key:
    """A verifier key."""

    name: str
    id: bytes
    public: bytes

    @classmethod
    def read(cls, text: str) -> "Key":
        """Read `<name>+<id>+<base64>`."""
        name, digits, encoded = text.split("+", 2)
        blob = unb64(encoded)
        wanted = hashlib.sha256(name.encode() + b"\n" + blob).digest()[:4]
        if len(blob) != 33 or blob[0] != 1 or digits != wanted.hex() or not name or re.search(r"\s", name):
            raise ValueError("no Ed25519 verifier key")
        return cls(name, wanted, blob[1:])


def signers(rest: bytes, text: bytes, keys: list[Key]) -> list[Key]:
    """Read the signature lines behind the text of a checkpoint; give the known keys whose lines they are, and hold."""
    if not rest:
        return []
    decoded = rest.decode("utf-8")
    if not re.fullmatch(r"\n(?:— [^\s+]+ [A-Za-z0-9+/=]+\n)+", decoded):
        raise ValueError("signature lines of another form")
    if re.search(r"[\x00-\x09\x0b-\x1f]", decoded):
        raise ValueError("a control character in a checkpoint")
    found: list[Key] = []
    for line in decoded[1:-1].split("\n"):
        _, name, encoded = line.split(" ")
        blob = unb64(encoded)
        if len(blob) < 5:
            raise ValueError(f"a signature of {name} without a value")
        for key in keys:
            if (key.name, key.id) == (name, blob[:4]):
                if key in found:
                    raise ValueError(f"{name} signs twice")
                try:
                    Ed25519PublicKey.from_public_bytes(key.public).verify(blob[4:], text)
                except InvalidSignature:
                    raise ValueError(f"the signature of {name} doesn't hold") from None
                found.append(key)
    return found


@dataclass
class Log:
    """What the entries say, read in their order."""

    runs: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    """For each run the position of its entry, and its release."""
    reports: dict[str, str] = field(default_factory=dict)
    withdrawn: dict[str, tuple[str, str, int]] = field(default_factory=dict)
    revealed: dict[str, set[tuple[str, int]]] = field(default_factory=dict)
    added: list[list[str]] = field(default_factory=lambda: [[]])
    revised: list[list[str]] = field(default_factory=lambda: [[]])
    sizes: list[int] = field(default_factory=list)
    index: str = ""


def check_entry(entry: Any) -> str:
    """Check keys and values of an entry; give its kind."""
    kind = entry["kind"]
    if set(entry) - {"kind"} != ENTRY_KEYS[kind]:
        raise ValueError("other keys than its kind has")
    for key, value in entry.items():
        form = ID if key in ("run_id", "batch_id") else HASH if key.endswith(("hash", "sha256")) else None
        if form is not None and not form.fullmatch(value):
            raise ValueError(f"no {key}")
    if kind == "withdrawal" and (
        not 8 <= len(entry["reason"]) <= 1000 or entry["reason"].strip(WHITE) != entry["reason"]
    ):
        raise ValueError("no reason")
    if kind == "reveal" and (
        not entry["sections"] or entry["sections"] != [part for part in PARTS if part in entry["sections"]]
    ):
        raise ValueError("no sections in their order")
    return str(kind)


def read_log(entries: list[bytes]) -> Log:
    """Read all entries in their order; raise ValueError at the first that is no entry or out of place."""
    log = Log()
    part, last, batch, acted = 0, "", "", set[str]()
    for position, data in enumerate(entries):
        entry, number = parse(data), len(log.sizes) + 1
        kind, run, named = check_entry(entry), str(entry.get("run_id", "")), str(entry.get("batch_id", ""))
        where = f"entry {position} ({kind}): "
        known = next((artifact for name, artifact in log.runs.get(batch_of(log, run), ()) if name == run), None)
        if kind == "run":
            if part or run in log.places or (named != batch and (batch or named <= last or named in log.runs)):
                raise ValueError(where + "out of order, or there before")
            batch = named
            log.runs.setdefault(named, []).append((run, entry["artifact_hash"]))
            log.places[run] = (position, number)
            continue
        if batch:
            if kind != "report" or named != batch:
                raise ValueError(where + f"the runs of {batch} aren't followed by its report")
            log.reports[named] = entry["sha256"]
            log.added[-1].append(named)
            last, batch = named, ""
            continue
        step = {"withdrawal": 1, "reveal": 2, "report": 3, "release": 4}[kind]
        if step < part or (step == part and (run or named) <= last):
            raise ValueError(where + "out of order")
        part, last = step, run or named
        if run in log.places:
            if log.places[run][1] == number:
                raise ValueError(where + "its run came in the same release")
            acted.add(batch_of(log, run))
        if kind == "withdrawal":
            if known != entry["artifact_hash"] or run in log.withdrawn:
                raise ValueError(where + "no such run, another hash, or withdrawn before")
            log.withdrawn[run] = (entry["artifact_hash"], entry["reason"], number)
        elif kind == "reveal":
            if known is None or run in log.withdrawn:
                raise ValueError(where + "no such run, or withdrawn")
            log.revealed.setdefault(run, set()).update((section, number) for section in entry["sections"])
        elif kind == "report":
            if log.reports.get(named, entry["sha256"]) == entry["sha256"] or named in log.added[-1]:
                raise ValueError(where + "no such batch before, or unchanged")
            if named not in acted:
                raise ValueError(where + "its release withdraws and reveals no run of its batch")
            log.reports[named] = entry["sha256"]
            log.revised[-1].append(named)
        else:
            if entry["number"] != number or isinstance(entry["number"], bool):
                raise ValueError(where + "another number than the next")
            log.sizes.append(position + 1)
            log.index = entry["index_sha256"]
            part, last, acted = 0, "", set()
            log.added.append([])
            log.revised.append([])
    if not entries or log.sizes[-1:] != [len(entries)]:
        raise ValueError("the last entry ends no release")
    return log


def batch_of(log: Log, run: str) -> str:
    """Find the batch of a run that stands in the log."""
    return next((batch for batch, runs in log.runs.items() if any(name == run for name, _ in runs)), "")


def make_files(entries: list[bytes], log: Log, tree: Tree, checkpoints: list[bytes]) -> dict[str, bytes]:
    """Make every file under `log/` again, but checkpoints and keys."""
    size = len(entries)
    files = {"checkpoint": checkpoints[-1]}
    bundles = [len(entry).to_bytes(2, "big") + entry for entry in entries]
    for release in log.sizes:
        for level in count():
            hashes = release >> 8 * level
            if not hashes:
                break
            for number in range(hashes // 256 + bool(hashes % 256)):
                width = min(256, hashes - 256 * number)
                if width < 256 and (size >> 8 * level) >= 256 * (number + 1):
                    continue
                span = range(256 * number, 256 * number + width)
                roots = (tree.root(at << 8 * level, (at + 1) << 8 * level) for at in span)
                files[f"tile/{level}/{tile(number, width)}"] = b"".join(roots)
                if level == 0:
                    files[f"tile/entries/{tile(number, width)}"] = b"".join(bundles[span.start : span.stop])
    for run, (position, number) in log.places.items():
        hashes_of = tree.inclusion(position, 0, log.sizes[number - 1])
        head = ["c2sp.org/tlog-proof@v1", f"index {position}", *map(b64, hashes_of), "", ""]
        files[f"inclusion/{run}"] = "\n".join(head).encode() + checkpoints[number - 1]
    for number, old in enumerate(log.sizes[:-1], 1):
        head = [f"old {old}", *map(b64, tree.consistency(old, 0, size)), "", ""]
        files[f"consistency/{number}"] = "\n".join(head).encode() + checkpoints[-1]
    return files


def read_entries(root: Path, size: int) -> list[bytes]:
    """Read the entries of a log of that size."""
    entries: list[bytes] = []
    while len(entries) < size:
        width = min(256, size - len(entries))
        data, at = (root / "tile" / "entries" / tile(len(entries) // 256, width)).read_bytes(), 0
        for _ in range(width):
            length = int.from_bytes(data[at : at + 2], "big")
            entries.append(data[at + 2 : at + 2 + length])
            at += 2 + length
        if at != len(data):
            raise ValueError("a bundle is longer or shorter than its entries")
    return entries


def check_log(root: Path, keys: list[Key], kept: bytes | None, facts: Facts) -> Iterator[str]:
    """Check the release log for itself, then against the snapshot."""
    origin, size = (root / "checkpoint").read_text("utf-8").split("\n")[:2]
    if not re.fullmatch(r"[1-9][0-9]{0,11}", size):
        raise ValueError("log/checkpoint has no size")
    entries = read_entries(root, int(size))
    log, tree = read_log(entries), Tree(entries)
    facts.entries = len(entries)
    paths = {str(path.relative_to(root)): path for path in sorted(root.rglob("*")) if not path.is_dir()}
    checkpoints = [(root / "checkpoints" / str(number)).read_bytes() for number, _ in enumerate(log.sizes, 1)]
    want = make_files(entries, log, tree, checkpoints)
    want |= {f"checkpoints/{number}": data for number, data in enumerate(checkpoints, 1)}
    named: list[Key] = []
    if "key" in paths:
        lines = paths["key"].read_text("utf-8")
        named = [Key.read(line) for line in lines.removesuffix("\n").split("\n")]
        want["key"] = lines.encode() if lines.endswith("\n") else b""
    for name in sorted(want.keys() | paths.keys()):
        if name not in paths or name not in want or paths[name].read_bytes() != want[name]:
            yield f"log/{name}: " + ("isn't there" if name not in paths else "doesn't follow from the entries")
    order: list[Key] = []
    signed: list[list[Key]] = []
    for number, (data, end) in enumerate(zip(checkpoints, log.sizes, strict=True), 1):
        text = f"{origin}\n{end}\n{b64(tree.root(0, end))}\n".encode()
        if not data.startswith(text):
            yield f"log/checkpoints/{number}: another origin, size or root than its entries have"
        rest = data.removeprefix(text)
        by = signers(rest, text, named)
        if rest and not by:
            yield f"log/checkpoints/{number}: signed by no key of log/key"
        order += [key for key in by if key not in order]
        signed.append(signers(rest, text, keys))
        if keys and not signed[-1] and (rest or any(signed) or not origin.startswith("glassbench/")):
            yield f"log/checkpoints/{number}: signed by none of the given keys"
        if number == 1 and origin not in ([key.name for key in by] or [f"glassbench/{tree.leaves[0].hex()[:16]}"]):
            yield "log/checkpoints/1: another origin than the name of its key, or the hash of entry 0"
    if keys and not signed[-1]:
        yield "log/checkpoint: signed by none of the given keys"
    if order != named:
        yield "log/key: not the keys that signed, by their first signature"
    if kept is not None:
        line, old, said = kept.decode("utf-8").split("\n")[:3]
        at = int(old) if re.fullmatch(r"[1-9][0-9]{0,11}", old) else 0
        if line != origin or not 0 < at <= len(entries) or b64(tree.root(0, at)) != said:
            yield "the log doesn't extend the checkpoint that was kept"
    if log.runs != facts.runs:
        yield "log: its runs aren't those of the reports, in their order and with their hashes"
    if log.reports != facts.reports:
        yield "log: the latest report entries aren't the reports"
    if log.withdrawn != facts.withdrawn:
        yield "log: withdrawals aren't those of the reports"
    if log.revealed != {run: parts for run, parts in facts.revealed.items() if parts}:
        yield "log: reveals aren't those of the reports"
    releases = [(release["batches"], release.get("revised", [])) for release in facts.index["releases"]]
    if releases != list(zip(log.added, log.revised, strict=True))[:-1] or facts.index.get("log") != origin:
        yield "log: another origin, or other releases, than the index says"
    if log.index != sha256(canonical(facts.index)):
        yield "log: the last release has another index"


def check_all(directory: Path, keys: list[str], kept: bytes | None, facts: Facts) -> Iterator[str]:
    """Check a whole snapshot, as far as it can be read."""
    try:
        yield from check_snapshot(directory, facts)
    except Malformed as error:
        yield f"index.json: can't be read: {type(error).__name__}: {error}"
    try:
        if (directory / "log").exists() and facts.index is not None:
            yield from check_log(directory / "log", [Key.read(key) for key in keys], kept, facts)
        elif keys or kept is not None or "log" in (facts.index or {}):
            yield "log: there is none"
    except Malformed as error:
        yield f"log: can't be read: {type(error).__name__}: {error}"


def verify(directory: Path, keys: list[str], kept: bytes | None = None) -> list[str]:
    """Give all faults that were found in a snapshot; none where it holds."""
    return list(check_all(directory, keys, kept, Facts()))


def main() -> int:
    """Print the faults of a snapshot, or what was proved of it."""
    parser = argparse.ArgumentParser(description="Check a Glassbench snapshot without Glassbench.")
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--key", action="append", default=[], help="a verifier key that you have from elsewhere")
    parser.add_argument("--kept", type=Path, help="a log/checkpoint that you kept")
    given = parser.parse_args()
    facts = Facts()
    faults = list(check_all(given.snapshot, given.key, given.kept.read_bytes() if given.kept else None, facts))
    for fault in faults:
        print(fault)
    if not faults:
        runs = sum(map(len, facts.runs.values()))
        print(f"{runs} runs of {len(facts.runs)} reports: hashes, places, lines and counts hold")
        print(f"{len(facts.withdrawn)} runs are withdrawn; the parts of {len(facts.revealed)} were revealed later")
        print(f"release log: {facts.entries} entries, every file made again" if facts.entries else "no release log")
        print("signatures: by " + ("the keys given" if given.key else "keys that the snapshot names itself, if any"))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
