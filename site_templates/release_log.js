// The release log: Merkle proofs (RFC 9162), checkpoints and proofs as text (C2SP tlog-checkpoint, tlog-proof,
// tlog-witness), notes signed with Ed25519 (C2SP signed-note). Needs evidence.js.
"use strict";

const NUMBER = "(0|[1-9]\\d{0,14})";
const INCLUSION = "c2sp.org/tlog-proof@v1\\n(?:extra .*\\n)?index ";

/** The bytes of base64 in its one standard spelling. */
function base64(text, size) {
  const binary = atob(text);
  if (btoa(binary) !== text || (size && binary.length !== size)) fail("base64");
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

const matched = (text, kind, pattern) => text.match(RegExp(`^${pattern}$`)) ?? fail(`not${kind}`);

/** A checkpoint: the text that is signed, and by whom; an unsigned one is the text alone. */
function readNote(note) {
  const [, text, origin, size, root, lines = ""] = matched(
    note, "checkpoint", `((.+)\\n${NUMBER}\\n(.+)\\n(?:.+\\n)*)(?:\\n((?:— \\S+ \\S+\\n)+))?`);
  const signed = Array.from(lines.matchAll(/(\S+) (\S+)\n/g), ([, name, value]) => {
    const bytes = base64(value);
    return { name: `${name}+${hex(bytes.slice(0, 4))}`, signature: bytes.slice(4) };
  });
  return { text, origin, size: Number(size), root: base64(root, 32), signed };
}

/** A proof: a number, hashes, an empty line, and the checkpoint that they lead to. */
function readProof(text, head) {
  const [, at, lines, note] = matched(text, "proof", `${head}${NUMBER}\\n((?:.+\\n)*)\\n([^]*)`);
  const hashes = lines.split("\n").slice(0, -1).map((line) => base64(line, 32));
  return { at: Number(at), hashes, checkpoint: readNote(note) };
}

const nodeHash = (left, right) => sha256(Uint8Array.of(1), left, right);
const half = (number) => Math.floor(number / 2);

/** The roots of the tree up to a node, and of the whole one; none where the proof has another length. */
async function climb(at, last, node, hashes) {
  let [start, whole] = [node, node];
  for (const hash of hashes) {
    if (last === 0) return [];
    if (at % 2 === 1 || at === last) {
      [start, whole] = [await nodeHash(hash, start), await nodeHash(hash, whole)];
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else {
      whole = await nodeHash(whole, hash);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 ? [hex(start), hex(whole)] : [];
}

/** RFC 9162 section 2.1.3.2. */
async function inclusionHolds(leaf, index, size, root, hashes) {
  const [, found] = await climb(index, size - 1, leaf, hashes);
  return index < size && found === hex(root);
}

/** RFC 9162 section 2.1.4.2. */
async function consistencyHolds(size1, size2, root1, root2, hashes) {
  if (size1 < 1 || size1 > size2 || !hashes.length !== (size1 === size2)) return false;
  if (size1 === size2) return hex(root1) === hex(root2);
  let [at, last] = [size1 - 1, size2 - 1];
  while (at % 2) [at, last] = [half(at), half(last)];
  const [node, ...rest] = at === 0 ? [root1, ...hashes] : hashes;
  const [start, whole] = await climb(at, last, node, rest);
  return start === hex(root1) && whole === hex(root2);
}

async function checkInclusion(entry, { at, hashes, checkpoint: { size, root } }) {
  const leaf = await sha256(Uint8Array.of(0), utf8(canonical(entry)));
  const holds = await inclusionHolds(leaf, at, size, root, hashes);
  return holds ? say("entry", { index: at }) : fail("noentry");
}

/** The latest log begins with an earlier one; `what` says where that is from. */
async function checkLater(released, latest, what, proofOf) {
  const [old, size] = [released.size, latest.size];
  const [found, wanted] = [latest.origin, released.origin].map(quoted);
  const values = { found, wanted, size, old, what: say(what) };
  if (found !== wanted) fail("otherlog", values);
  if (size < old) fail("fewer", values);
  const { at, hashes, checkpoint } = size === old ? { at: old, hashes: [], checkpoint: released } : await proofOf(old);
  if (at !== old) fail("begins", { ...values, at });
  if (checkpoint.text !== latest.text) fail("leads");
  const holds = await consistencyHolds(old, size, released.root, latest.root, hashes);
  return holds ? say("begin", values) : fail("nobegin", values);
}

async function readKey(text) {
  const [, name, id, value] = matched(text, "key", "([^+\\s]+)\\+([0-9a-f]{8})\\+(\\S+)");
  const bytes = base64(value, 33);
  const own = hex(await sha256(utf8(`${name}\n`), bytes)).slice(0, 8);
  if (bytes[0] !== 1 || own !== id) fail("badkey");
  return { name: `${name}+${id}`, bytes: bytes.slice(1) };
}

/** One of several checkpoints is signed with one of several keys; `whose` says where those are from. */
async function checkSignature(checkpoints, keys, from) {
  const whose = say(from);
  for (const { text, size, signed } of checkpoints) {
    for (const { name, bytes } of keys) {
      const found = signed.find((line) => line.name === name);
      if (!found) continue;
      const holds = await isSigned(text, found.signature, bytes);
      return holds ? say("signed", { name, size, whose }) : fail("badsignature", { name });
    }
  }
  fail("unsignedwith", { whose });
}

const isSigned = (text, signature, bytes) => crypto.subtle.importKey("raw", bytes, "Ed25519", false, ["verify"])
  .then((key) => crypto.subtle.verify("Ed25519", key, signature, utf8(text)))
  .catch(() => fail("noed", "", "unchecked"));
