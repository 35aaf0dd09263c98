// Sorting and choosing rows and columns of the leaderboard. What is chosen stands in the address: ?sort=-rate&family=…
"use strict";
{
  const form = document.getElementById("choose");
  const tables = [...document.querySelectorAll("table[data-whole]")].map((table) => ({
    rows: [...table.tBodies[0].rows], heads: [...table.tHead.rows[0].cells], table,
  }));
  const fields = [...form?.querySelectorAll("select, [type=search]") ?? []];
  const boxes = [...form?.querySelectorAll("[type=checkbox]") ?? []];
  const kept = "glassbench-hidden-columns";
  let state;

  const name = (row) => row.cells[1].textContent.trim();
  const text = new Intl.Collator(document.documentElement.lang, { numeric: true });

  /** Without a value last, in either direction; equal rows as they stood. */
  function sort({ table, rows, heads }, key, falls) {
    const at = heads.findIndex((head) => head.dataset.key === key);
    const value = (row) => (at === 1 ? name(row) : row.cells[at].querySelector("data")?.value);
    const sign = falls ? -1 : 1;
    const order = at < 0 ? rows : rows.map((row) => [row, value(row)]).sort(([, a], [, b]) =>
      (a === undefined) - (b === undefined) || sign * (at === 1 ? text.compare(a, b) : a - b) || 0).map(([row]) => row);
    table.tBodies[0].append(...order);
    for (const head of heads) {
      head.ariaSort = at < 0 ? head.first : head === heads[at] ? (falls ? "descending" : "ascending") : null;
    }
  }

  function show() {
    const wanted = state.get("sort") ?? "";
    const asked = (state.get("hide") ?? "").split(",");
    const hidden = boxes.map((box) => box.value).filter((key) => asked.includes(key));
    let shown = 0, total = 0;
    for (const field of fields) field.value = state.get(field.name) ?? "";
    for (const box of boxes) box.checked = !hidden.includes(box.value);
    for (const one of tables) {
      sort(one, wanted.replace("-", ""), wanted.startsWith("-"));
      for (const row of one.rows) {
        row.hidden = fields.some(({ name: key, value }) =>
          value && (key === "model" ? !name(row).toLowerCase().includes(value.toLowerCase()) : row.dataset[key] !== value));
        shown += !row.hidden;
        total += 1;
      }
      one.heads.forEach((head, at) => {
        for (const row of [head.parentNode, ...one.rows]) row.cells[at].hidden = hidden.includes(head.dataset.key);
      });
    }
    const said = form?.querySelector("output");
    if (said) said.value = shown < total ? said.dataset.text.replace("{0}", shown).replace("{1}", total) : "";
  }

  function choose(key, value, replace) {
    if (value) state.set(key, value);
    else state.delete(key);
    const url = new URL(location);
    url.search = state;
    history[replace ? "replaceState" : "pushState"](null, "", url);
    show();
  }

  /** What the address says; columns put away before stay away unless it says which are. */
  function read() {
    state = new URLSearchParams(location.search);
    try {
      const before = localStorage.getItem(kept);
      if (before && !state.has("hide")) state.set("hide", before);
    } catch { /* not allowed here */ }
    show();
  }

  for (const { heads } of tables) {
    for (const head of heads.filter((one) => one.dataset.key)) {
      head.first = head.ariaSort;
      let control = head.querySelector("a");
      if (!control) {
        control = document.createElement("button");
        control.append(head.firstChild);
        head.prepend(control);
      }
      control.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        const key = head.dataset.key;
        const falls = head.ariaSort ? head.ariaSort === "ascending" : head.classList.contains("falls");
        choose("sort", (falls ? "-" : "") + key);
      });
    }
  }
  for (const field of fields) field.addEventListener("input", () => choose(field.name, field.value, field.type === "search"));
  for (const box of boxes) {
    box.addEventListener("change", () => {
      const hidden = boxes.filter((one) => !one.checked).map((one) => one.value).join();
      try { localStorage.setItem(kept, hidden); } catch { /* not allowed here */ }
      choose("hide", hidden, true);
    });
  }
  addEventListener("popstate", read);
  if (form) form.hidden = false;
  read();
}
