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
  subject = say(subject);
  mark.className = `verdict ${kind}`;
  mark.textContent = `${sign} ${say(state)}`;
  line.append(mark, ` ${subject}: ${text}`);
  at("lines").append(line);
  told.push({ state, subject });
}

/** What a step gives; a failure is told. */
async function attempt(subject, step) {
  try {
    return await step();
  } catch ({ state, name, message }) {
    tell(state ?? "fails", subject, state ? message : say("broken", { name }));
  }
}

const check = async (subject, rule) => {
  const text = await attempt(subject, rule);
  text && tell("holds", subject, text);
};

/** A file of the snapshot, never from a cache. */
async function read(name) {
  const answer = await fetch(panel.dataset.base + name, { cache: "no-store" }).catch(() => ({ status: "noanswer" }));
  return answer.ok ? decoded(await answer.arrayBuffer()) : fail("unread", { name, status: say(`${answer.status}`) });
}

const proofIn = async (name, head) => readProof(await read(`log/${name}`), head);

/** The proof of the first release, from one on, after which the log was at least so long. */
const proofFrom = (release) => async (size) => {
  const proof = await proofIn(`consistency/${release}`, "old ");
  return proof.at < size ? proofFrom(release + 1)(size) : proof;
};

async function checkRun(load, checkRest) {
  const name = `runs/${runId}.json`;
  const page = { digests: shown("digest"), salts: shown("salt"), hash: shown("hash")[runId] };
  let text, hash;
  const run = await attempt(name, async () => parsed(text = await load()));
  if (!run) return;
  await check(name, () => checkFile(text, run, runId));
  if (run.schema === WITHDRAWN) tell("withdrawn", "sections", say("left"));
  else for (const name of SECTIONS) await check(say("section", { name }), () => checkSection(run, name, page));
  await check("artifact", async () => {
    hash = await artifactHash(run);
    return compared("hash", hash, { file: run.artifact_hash, page: page.hash });
  });
  await checkRest(run, hash);
}

async function checkLog(run, artifact_hash) {
  const { log, reports } = parsed(await read("index.json"));
  if (!log) return tell("missing", "log", say("nolog"));
  const batch_id = run.batch_id ?? Object(run.provenance).batch_id;
  const report = reports.find((one) => one.batch_id === batch_id) ?? fail("nobatch");
  const entry = { kind: "run", run_id: runId, batch_id, artifact_hash };
  const proof = await attempt("place", () => proofIn(`inclusion/${runId}`, INCLUSION));
  if (proof) await check("place", () => checkInclusion(entry, proof));
  const latest = await attempt("latest", async () => readNote(await read("log/checkpoint")));
  if (!latest) return;
  const later = (earlier, what, release) => () => checkLater(earlier, latest, what, proofFrom(release));
  if (proof) await check("latest", later(proof.checkpoint, "released", report.release));
  const kept = at("kept").value.trim();
  if (kept) await check("keptlog", () => later(readNote(`${kept}\n`), "kept", 1)());
  await check("signature", () => checkSigner(latest, proof?.checkpoint ?? latest));
}

async function checkSigner(latest, released) {
  const given = at("key").value.trim();
  if (given) return checkSignature([latest, released], [await readKey(given)], "given");
  if (!latest.signed.length) fail("another", "", "unsigned");
  const keys = await Promise.all((await read("log/key")).trim().split("\n").map(readKey));
  return checkSignature([latest], keys, "beside");
}

function conclude() {
  const failed = told.filter(({ state }) => state === "fails").map(({ subject }) => subject);
  const open = told.filter(({ state }) => !MARKS[state]).map(({ state, subject }) => `${subject} ${say(state)}`);
  const values = { failed: failed.length, total: told.length, names: failed.join(", ") };
  const found = [say(failed.length ? "count" : "same", values), ...open].join("; ");
  at("result").textContent = say("result", { run: runId, found });
}

async function start(load, checkRest) {
  if (busy) return;
  busy = true;
  told = [];
  at("lines").replaceChildren();
  at("result").textContent = say("checking");
  await attempt("log", () => checkRun(load, checkRest));
  conclude();
  busy = false;
}

at("button").onclick = () => start(() => read(`runs/${runId}.json`), checkLog);
at("file").onchange = ({ target: { files: [file] } }) => file && start(
  async () => decoded(await file.arrayBuffer()),
  () => tell("unchecked", "log", say("noread")),
);
at(!crypto.subtle ? "insecure" : location.protocol === "file:" ? "picker" : "form").hidden = false;
