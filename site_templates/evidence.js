// One run's file, by docs/reference/artifact.md. A rule gives the sentence that holds, or fails.
"use strict";

const SECTIONS = [
  "case", "provenance", "context", "visible_tools", "steps", "guardrail_checks", "result", "judgment", "output_checks",
];
const RUN = "glassbench.run/1";
const WITHDRAWN = "glassbench.withdrawn/1";

/** A sentence of the page, in its language, with values in its places. */
const say = (name, values = {}) => (document.querySelector("[data-check=lines]").dataset[name] ?? name)
  .replace(/%\((\w+)\)s/g, (place, key) => values[key]);

/** Ends a rule with a sentence; a state other than `fails` says why nothing is known. */
function fail(name, values, state = "fails") {
  throw Object.assign(new Error(say(name, values)), { state });
}

/** A string out of a file, short and in ASCII: it can't hide or turn the words around it. */
const quoted = (value) => JSON.stringify(String(value).slice(0, 90))
  .replace(/[^ -~]/g, (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"));

const picked = (object, names) => Object.fromEntries(names.filter((name) => Object.hasOwn(Object(object), name))
  .map((name) => [name, object[name]]));

/** RFC 8785. JavaScript sorts by UTF-16 code units, as is wanted. */
function canonical(value, depth = 0) {
  const inner = (item) => canonical(item, depth + 1);
  if (depth > 64) fail("nests");
  if (Array.isArray(value)) return `[${value.map(inner)}]`;
  const member = (key) => `${inner(key)}:${inner(value[key])}`;
  if (Object(value) === value) return `{${Object.keys(value).sort().map(member)}}`;
  if (typeof value === "number" && !Number.isSafeInteger(value)) fail("integer");
  // under the flag u, a surrogate matches only where it stands alone
  if (/\p{Surrogate}/u.test(value)) fail("half");
  return JSON.stringify(value);
}

const utf8 = (text) => new TextEncoder().encode(text);
const decoded = (bytes) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const sha256 = async (...parts) =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer()));

/** Anything but an object becomes one without keys. */
const parsed = (text) => Object(JSON.parse(text));

function checkFile(text, run, runId) {
  if (![RUN, WITHDRAWN].includes(run.schema)) fail("norun");
  if (run.run_id !== runId) fail("otherrun", { found: quoted(run.run_id), wanted: runId });
  const [salts, digests] = [run.salts, run.digests].map((table) => picked(table, SECTIONS));
  const known = { ...picked(run, ["schema", "run_id", ...SECTIONS, "artifact_hash"]), salts, digests };
  if (canonical(run) !== text) fail("form");
  if (run.schema === RUN && canonical(known) !== text) fail("uncovered");
  return say("canonical");
}

/** A value that was worked out, a digest or a hash, is what everyone says. */
function compared(noun, value, claims) {
  const others = Object.entries(claims).filter(([, claim]) => claim !== value)
    .map(([who, claim]) => say(who, { claim: claim === undefined ? say("nothing") : quoted(claim) }));
  return others.length ? fail(`its${noun}`, { value, others: others.join(say("and")) }) : say(`is${noun}`, { value });
}

/** `page` holds the digests and salts that the page shows. */
async function checkSection(run, name, page) {
  const [salt, file] = [Object(run.salts)[name], Object(run.digests)[name]];
  const claims = { file, page: page.digests[name] };
  if (name in run) return compared("digest", await sectionDigest(salt, run[name]), claims);
  if (salt !== undefined || page.salts[name]) fail("gone");
  fail("covers", { what: compared("digest", String(file), claims) }, "withheld");
}

async function sectionDigest(salt, section) {
  if (!/^[0-9a-f]{32}$/.test(salt)) fail("nosalt");
  const bytes = Uint8Array.from(salt.match(/../g), (pair) => parseInt(pair, 16));
  return hex(await sha256(bytes, utf8(canonical(section))));
}

/** Of a run that was withdrawn, the hash is what is left. */
async function artifactHash({ schema, run_id, digests, artifact_hash }) {
  return schema === WITHDRAWN ? artifact_hash : hex(await sha256(utf8(canonical({ schema, run_id, digests }))));
}
