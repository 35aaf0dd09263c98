// Full-text search over the files of docs/reference/search.md; a query loads only those that it needs.
"use strict";

const glassbenchSearch = (() => {
  const AT_A_TIME = 20;
  const MOST_FILES = 6; // of terms, for one word: what begins with "a" would be half an index
  const MOST_WORDS = 24;
  const waiting = new Map();
  const loaded = new Map();
  let folder = "";

  /** Each file of the index calls this with what it holds. */
  const register = (version, name, contents) => waiting.get(name)?.({ version, contents });

  /** One file, as a script: from a disk, a page may load nothing else. */
  function load(name, query) {
    const held = loaded.get(name);
    if (held) return held;
    const file = new Promise((resolve, reject) => {
      const script = document.createElement("script");
      waiting.set(name, resolve);
      script.onload = () => script.remove();
      script.onerror = () => reject(new Error(name));
      script.charset = "utf-8";
      script.src = `${folder}${name}.js${query}`;
      document.head.append(script);
    });
    loaded.set(name, file);
    file.catch(() => loaded.delete(name));
    return file;
  }

  /** The manifest, made ready. `again` passes by what a cache holds. */
  async function open(again) {
    const { version, contents } = await load("manifest", again ? `?again=${Date.now()}` : "");
    const { folded, dropped, token, paired, joint, fillers, common } = contents.patterns;
    const concepts = Object.entries(contents.concepts);
    return {
      ...contents,
      version,
      folded: new RegExp(folded, "gu"),
      dropped: new RegExp(dropped, "gu"),
      token: new RegExp(token, "gu"),
      paired: new RegExp(`^${paired}$`, "u"),
      joint: new RegExp(joint, "u"),
      fillers: new RegExp(fillers, "gu"),
      common: new RegExp(common, "gu"),
      // A group for each: where one matched says which concept it is.
      spoken: new RegExp(concepts.map(([, pattern]) => `(${pattern})`).join("|"), "gu"),
      concepts: concepts.map(([term]) => term),
      digits: new Map([...contents.alphabet].map((digit, value) => [digit, value])),
    };
  }

  async function part(index, name) {
    const { version, contents } = await load(name, `?v=${index.version}`);
    if (version !== index.version) throw Object.assign(new Error(name), { stale: true });
    return contents;
  }

  const foldedText = (index, text) => text
    .replace(index.folded, (character) => Array.from(character.normalize("NFKD"), (one) => one.toLowerCase()).join(""))
    .replace(index.dropped, "");

  const tokens = (index, text) => foldedText(index, text).match(index.token) ?? [];

  /** The word without its English ending; always what the word begins with. */
  function stem(word) {
    if (!/^[a-z]{4,}$/.test(word)) return word;
    const one = word.replace(/(?<=[a-z]{3})(?:ies|(?<![su])s)$/, "");
    const bare = one.replace(/(?<=[a-z]{3})(?:ing|ed|ly|e|y)$/, (end, at) => (/[aeiouy]/.test(one.slice(0, at)) ? "" : end));
    return bare.replace(/(?<=[a-z]{2})([^aeiouy])\1$/, "$1");
  }

  const exactly = (term) => ({ low: term, high: term, exact: term, grade: (other) => Number(other === term) });

  /** A word finds itself, its other forms, and what begins with it. */
  function wordUnit(word, begins) {
    const root = stem(word);
    const grade = (term) => {
      if (term === word) return 1;
      if (stem(term) === root) return 0.9;
      return begins && term.startsWith(word) ? 0.4 + (0.4 * word.length) / term.length : 0;
    };
    return { low: root, high: root + "\uffff", exact: word, grade };
  }

  function pairUnits(token) {
    const characters = [...token];
    if (characters.length > 1) return characters.slice(1).map((next, before) => exactly(characters[before] + next));
    return [{ low: token, high: token + "\uffff", exact: token, grade: (term) => Number(term.startsWith(token)) }];
  }

  /** The parts of a folded query, as [text, term of the concept that it names or ""]. */
  function spoken(index, text) {
    const parts = [];
    let last = 0;
    for (const { 0: wording, index: at, ...groups } of text.matchAll(index.spoken)) {
      const concept = index.concepts.find((_, number) => groups[number + 1] !== undefined);
      parts.push([text.slice(last, at), ""], [wording, concept]);
      last = at + wording.length;
    }
    return [...parts, [text.slice(last), ""]];
  }

  /** What the parts of a query have to match, and what counts besides: whole identifiers, pairs of characters across
   * words, what nearly every page has. Words that ask for nothing are needed only where there are no others. */
  function unitsOf(index, query) {
    const text = foldedText(index, query);
    const open = /\s$/.test(query) ? "" : text.match(index.token)?.at(-1).split(index.joint).at(-1);
    const [needed, wished, spare] = [new Map(), new Map(), new Map()];
    const cut = (term) => [...term].slice(0, index.longest_term).join("");

    function units(said) {
      return (said.match(index.token) ?? []).flatMap((token) => {
        if (index.paired.test(token)) return pairUnits(token);
        const whole = token.replaceAll(",", "");
        const parts = whole.split(index.joint).map(cut);
        if (parts.length > 1) wished.set(whole, { ...wordUnit(cut(whole), true), low: cut(whole) });
        return parts.map((word) => wordUnit(word, word === open || word.length > 2));
      });
    }

    for (const [said, concept] of spoken(index, text)) {
      const [first, ...rest] = units(said);
      if (concept) {
        // The first word stands for the concept, too; what else the wording says makes it only better.
        needed.set(concept, { ...first, concept });
        for (const unit of rest) wished.set(unit.exact, unit);
      } else if (first) {
        for (const unit of units(said.replace(index.fillers, " ").replace(index.common, " "))) needed.set(unit.exact, unit);
        for (const unit of [first, ...rest]) spare.set(unit.exact, unit);
      }
    }
    for (const [exact, unit] of spare) if (exact.replace(index.fillers, "") && !needed.has(exact)) wished.set(exact, unit);
    return [needed.size ? needed : spare, wished].map((found) => [...found.values()].slice(0, MOST_WORDS));
  }

  /** The numbers of the files that may hold terms from `low` to `high`. A long list goes on in the next file. */
  function span(index, low, high) {
    const first = index.terms.findLastIndex((term) => term < low);
    const last = index.terms.findLastIndex((term) => term <= high);
    return Array.from({ length: Math.max(0, last - Math.max(first, 0) + 1) }, (_, at) => Math.max(first, 0) + at);
  }

  /** For each document how well it matches one unit, as [documents] numbers of which 0 is "not at all". */
  async function matches(index, unit) {
    const scores = new Float64Array(index.documents);
    const terms = unit.concept ? [unit.exact, unit.concept] : [unit.exact];
    const files = new Set([...terms.flatMap((term) => span(index, term, term)), ...span(index, unit.low, unit.high).slice(0, MOST_FILES)]);
    const shards = await Promise.all(Array.from(files, (file) => part(index, `terms/${file}`)));
    for (const shard of shards) {
      for (let at = 0; at < shard.length; at += 2) {
        const grade = shard[at] === unit.concept ? 0.6 : shard[at] < unit.low || shard[at] > unit.high ? 0 : unit.grade(shard[at]);
        if (grade > 0) mark(index, scores, shard[at + 1], grade);
      }
    }
    const found = scores.reduce((sum, score) => sum + (score > 0), 0);
    const rarity = Math.log(1 + (index.documents - found + 0.5) / (found + 0.5));
    return scores.map((score) => score * rarity);
  }

  function mark(index, scores, postings, grade) {
    let [document, step, power] = [0, 0, 1];
    for (let at = 0; at < postings.length; at++) {
      const digit = index.digits.get(postings[at]);
      step += (digit & 31) * power;
      power *= 32;
      if (digit > 31) continue;
      document += step;
      at += 1;
      scores[document] = Math.max(scores[document], grade * (index.digits.get(postings[at]) + 1));
      [step, power] = [0, 1];
    }
  }

  /** The numbers of the documents that a query finds, the best first. Where none has all of it, those that have most. */
  async function find(index, query) {
    const [needed, wished] = unitsOf(index, query);
    const [must, may] = await Promise.all([needed, wished].map((units) => Promise.all(units.map((unit) => matches(index, unit)))));
    const has = new Uint8Array(index.documents);
    const total = new Float64Array(index.documents);
    for (const scores of must) scores.forEach((score, document) => { has[document] += score > 0; });
    for (const scores of [...must, ...may]) scores.forEach((score, document) => { total[document] += score; });
    const most = has.reduce((one, other) => Math.max(one, other), 0);
    const documents = [...has.keys()].filter((document) => most > 0 && has[document] === most);
    documents.sort((one, other) => total[other] - total[one] || one - other);
    return { documents, complete: most === must.length, needed };
  }

  /** The kind of a document: they stand in the manifest as [kind, how many in a row]. */
  function kindOf(index, document) {
    let left = document;
    return index.kinds.find(([, count]) => (left -= count) < 0)[0];
  }

  async function row(index, document) {
    const block = index.blocks.findLastIndex((first) => first <= document);
    return (await part(index, `documents/${block}`))[document - index.blocks[block]];
  }

  /** The stretches of a text that matched, as [start, end] in order. */
  function hits(index, units, text) {
    const [places, letters] = [[], []];
    let offset = 0;
    for (const character of text) {
      for (const unit of foldedText(index, character)) {
        letters.push(unit);
        for (let half = 0; half < unit.length; half++) places.push([offset, offset + character.length]);
      }
      offset += character.length;
    }
    const found = [];
    for (const { 0: token, index: at } of letters.join("").matchAll(index.token)) {
      for (const [start, end] of index.paired.test(token) ? pairHits(units, token) : wordHits(index, units, token)) {
        found.push([places[at + start][0], places[at + end - 1][1]]);
      }
    }
    return found.sort(([one], [other]) => one - other);
  }

  function pairHits(units, token) {
    return units.flatMap(({ exact }) =>
      Array.from({ length: token.length }, (_, at) => at).filter((at) => token.startsWith(exact, at))
        .map((at) => [at, at + exact.length]));
  }

  function wordHits(index, units, token) {
    let at = 0;
    return token.split(index.joint).flatMap((word) => {
      const start = at;
      at += word.length + 1;
      return units.some((unit) => unit.grade(word.replaceAll(",", ""))) ? [[start, start + word.length]] : [];
    });
  }

  /** Puts a text into an element, what matched in `mark` elements. Text stays text. */
  function marked(index, units, element, text) {
    let last = 0;
    for (const [start, end] of hits(index, units, text)) {
      if (end <= last) continue;
      element.append(text.slice(last, Math.max(last, start)));
      const hit = document.createElement("mark");
      hit.textContent = text.slice(Math.max(last, start), end);
      element.append(hit);
      last = end;
    }
    element.append(text.slice(last));
  }

  /** The page: a form, a status, a list; everything that it says stands in the page. */
  function start(page) {
    const [form, status, list, more] = ["form", "[role=status]", "ol", "[data-more]"].map((what) => page.querySelector(what));
    const [field, result] = [form.elements.q, page.querySelector("template")];
    const kinds = [...form.querySelectorAll("[name=kind]")];
    const say = (name, count) => {
      status.textContent = page.dataset[name].replace("{count}", (count ?? 0).toLocaleString(document.documentElement.lang));
    };
    let [turn, shown, typing, index] = [0, AT_A_TIME, 0, null];
    folder = page.dataset.files;

    const chosen = () => form.elements.kind.value;

    function read() {
      const state = new URLSearchParams(location.search);
      const kind = kinds.find((one) => one.value === state.get("kind")) ?? kinds[0];
      field.value = state.get("q") ?? "";
      kind.checked = true;
      shown = Math.max(AT_A_TIME, Math.min(1000, Number(state.get("shown")) || 0));
    }

    function write(how) {
      const state = new URLSearchParams();
      if (field.value.trim()) state.set("q", field.value);
      if (chosen()) state.set("kind", chosen());
      if (shown > AT_A_TIME) state.set("shown", shown);
      const url = new URL(location);
      url.search = state;
      if (url.search !== location.search) history[how](null, "", url);
    }

    async function item(document) {
      const [href, ...rest] = await row(index, document);
      const [title, text, facts] = rest[3][page.dataset.language] ?? rest;
      return { kind: kindOf(index, document), href, title, text, facts };
    }

    function drawn(units, { kind, href, title, text, facts }) {
      const entry = result.content.firstElementChild.cloneNode(true);
      const [link, excerpt, label, extra] = ["a", ".excerpt", ".kind", ".facts-line"].map((what) => entry.querySelector(what));
      link.href = `./${page.dataset.root}${href}`;
      marked(index, units, link, title);
      marked(index, units, excerpt, text);
      label.textContent = kinds.find((one) => one.value === kind).dataset.one;
      for (const fact of facts) marked(index, units, extra.appendChild(document.createElement("li")), fact);
      return entry;
    }

    function count(documents) {
      const numbers = new Map();
      for (const document of documents) {
        const kind = kindOf(index, document);
        numbers.set(kind, (numbers.get(kind) ?? 0) + 1);
      }
      for (const one of kinds) {
        const number = one.value ? numbers.get(one.value) ?? 0 : documents.length;
        one.parentElement.querySelector(".count").textContent = number.toLocaleString(document.documentElement.lang);
        one.parentElement.hidden = one.value !== "" && number === 0 && !one.checked;
      }
    }

    async function search() {
      const own = ++turn;
      const query = field.value.trim() ? field.value.slice(0, 200) : "";
      page.classList.toggle("searched", query !== "");
      if (!query) {
        list.replaceChildren();
        more.hidden = true;
        return say("hint");
      }
      index ??= await open(false);
      const found = await find(index, query);
      if (own !== turn) return undefined;
      count(found.documents);
      const documents = found.documents.filter((document) => !chosen() || kindOf(index, document) === chosen());
      const items = await Promise.all(documents.slice(0, shown).map(item));
      if (own !== turn) return undefined;
      list.replaceChildren(...items.map((one) => drawn(found.needed, one)));
      more.hidden = documents.length <= shown;
      if (documents.length === 0) return say("none");
      const one = documents.length === 1;
      if (!found.complete) return say(one ? "someOne" : "some", documents.length);
      return say(one ? "one" : "many", documents.length);
    }

    /** A site that was published anew while its page was open is read from its new start. */
    async function run() {
      try {
        await search();
      } catch (error) {
        loaded.clear();
        index = null;
        if (!error.stale) return say("failed");
        try {
          index = await open(true);
          await search();
        } catch {
          say("failed");
        }
      }
      return undefined;
    }

    function changed(how) {
      clearTimeout(typing);
      shown = AT_A_TIME;
      write(how);
      run();
    }

    function moved(event) {
      const links = [...list.querySelectorAll("a")];
      const at = links.indexOf(document.activeElement);
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape" && at >= 0) field.focus();
      else if (step && (at >= 0 || document.activeElement === field)) (links[at + step] ?? (at + step < 0 ? field : links[at]))?.focus();
      else return;
      event.preventDefault();
    }

    form.addEventListener("submit", (event) => { event.preventDefault(); changed("pushState"); });
    field.addEventListener("input", () => {
      clearTimeout(typing);
      typing = setTimeout(changed, 120, "replaceState");
    });
    for (const one of kinds) one.addEventListener("change", () => changed("replaceState"));
    more.addEventListener("click", async () => {
      const before = list.children.length;
      shown += AT_A_TIME;
      write("replaceState");
      await run();
      list.children[before]?.querySelector("a").focus();
    });
    page.addEventListener("keydown", moved);
    document.addEventListener("keydown", (event) => {
      const writes = event.target.closest?.("input, textarea, select, [contenteditable]");
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || writes) return;
      event.preventDefault();
      field.focus();
      field.select();
    });
    addEventListener("popstate", () => { read(); run(); });
    page.querySelector("[data-without]").hidden = true;
    form.hidden = false;
    read();
    run();
    if (!field.value) field.focus();
  }

  return Object.assign(register, {
    start,
    open: (files) => { folder = files; return open(false); },
    find,
    row,
    tokens,
    concepts: (index, text) => spoken(index, foldedText(index, text)).flatMap(([, concept]) => concept || []),
  });
})();

for (const page of document.querySelectorAll("[data-search]")) glassbenchSearch.start(page);
