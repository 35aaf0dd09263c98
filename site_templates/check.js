// The panel of a run's page: reads the files beside it, and shows what each rule finds.
"use strict";

const panel = document.querySelector("[data-run]");
const runId = panel.dataset.run;
const at = (name) => panel.querySelector(`[data-check=${name}]`);
const MARKS = { holds: ["pass", "✓"], fails: ["fail", "✗"] };
let told = [];
let busy = false;

/** What the page shows of one kind: by section, the hash by run. */
const shown = (kind) => Object.fromEntries(
  Array.from(document.querySelectorAll(`[data-${kind}]`), (element) => [element.dataset[kind], element.textContent]));

function tell(state, subject, text) {
  const [kind, sign] = MARKS[state] ?? ["invalid", "⊘"];
  const [line, mark] = ["li", "span"].map((tag) => document.createElement(tag));
  mark.className = `verdict ${kind}`;
  mark.textContent = `${sign} ${state}`;
  line.append(mark, ` ${subject}: ${text}`);
  at("lines").append(line);
  told.push({ state, subject });
}

/** What a step gives; a failure is told. */
async function attempt(subject, step) {
  try {
    return await step();
  } catch ({ state, name, message }) {
    tell(state ?? "fails", subject, state ? message : `it is broken (${name})`);
  }
}

async function check(subject, rule) {
  const text = await attempt(subject, rule);
  if (text) tell("holds", subject, text);
}

/** A file of the snapshot, never from a cache. */
async function read(name) {
  const answer = await fetch(panel.dataset.base + name, { cache: "no-store" }).catch(() => ({ status: "no answer" }));
  return answer.ok ? decoded(await answer.arrayBuffer()) : fail(`${name} can't be read: ${answer.status}`);
}

async function checkRun(load, checkRest) {
  const name = `runs/${runId}.json`;
  const page = { digests: shown("digest"), salts: shown("salt"), hash: shown("hash")[runId] };
  let text, hash;
  const run = await attempt(name, async () => parsed((text = await load())));
  if (!run) return;
  await check(name, () => checkFile(text, run, runId));
  if (run.schema === WITHDRAWN) tell("withdrawn", "sections", "the hash is what is left of this run");
  else for (const section of SECTIONS) await check(`section ${section}`, () => checkSection(run, section, page));
  await check("artifact hash", async () => {
    hash = await artifactHash(run);
    return compared("hash", hash, { file: run.artifact_hash, page: page.hash });
  });
  await checkRest(run, hash);
}

async function checkLog(run, artifact_hash) {
  const { log, reports } = parsed(await read("index.json"));
  if (!log) return tell("missing", "release log", "this snapshot has none: nothing shows when this run was fixed");
  const batch_id = run.batch_id ?? Object(run.provenance).batch_id;
  const report = reports.find((one) => one.batch_id === batch_id) ?? fail("index.json doesn't name its batch");
  const entry = { kind: "run", run_id: runId, batch_id, artifact_hash };
  const proof = await attempt("log entry", async () => readProof(await read(`log/inclusion/${runId}`), INCLUSION));
  if (proof) await check("log entry", () => checkInclusion(entry, proof));
  const latest = await attempt("latest log", async () => readCheckpoint(await read("log/checkpoint")));
  if (!latest) return;
  const proofOf = async () => readProof(await read(`log/consistency/${report.release}`), CONSISTENCY);
  if (proof) await check("latest log", () => checkConsistency(proof.checkpoint, latest, proofOf));
  await check("signature", () => checkSigner(latest, proof?.checkpoint ?? latest));
}

async function checkSigner(latest, released) {
  const given = at("key").value.trim();
  if (given) return checkSignature([latest, released], [await readKey(given)], "the key that you gave");
  if (!latest.signed.length) fail("whoever holds the site could have made another log", "unsigned");
  const keys = await Promise.all((await read("log/key")).trim().split("\n").map(readKey));
  return checkSignature([latest], keys, "a key from beside this page, which proves nothing by itself");
}

function conclude() {
  const failed = told.filter(({ state }) => state === "fails").map(({ subject }) => subject);
  const open = told.filter(({ state }) => !MARKS[state]).map(({ state, subject }) => `${subject} ${state}`);
  const count = `${failed.length} of ${told.length} checks fail: ${failed.join(", ")}`;
  at("result").textContent = `Run ${runId}: ${[failed.length ? count : "nothing differs", ...open].join("; ")}.`;
}

async function start(load, checkRest) {
  if (busy) return;
  busy = true;
  told = [];
  at("lines").replaceChildren();
  at("result").textContent = "Checking…";
  await attempt("release log", () => checkRun(load, checkRest));
  conclude();
  busy = false;
}

at("button").addEventListener("click", () => start(() => read(`runs/${runId}.json`), checkLog));
at("file").addEventListener("change", ({ target: { files: [file] } }) => file && start(
  async () => decoded(await file.arrayBuffer()),
  () => tell("not checked", "release log", "a page opened as a file can't read it"),
));
at(!crypto.subtle ? "insecure" : location.protocol === "file:" ? "picker" : "form").hidden = false;
