"use strict";
const get = (id) => document.getElementById(id);
const pairs = [...document.querySelectorAll(".pair")];
const body = get("table").tBodies[0];
const keep = `earnest rejections ${get("table").dataset.study} ${location.pathname}`;
const DEFAULT = "rejected on listening";

// --- what is rejected: by kind and name; `old` are rows of the study's table

const state = new Map();
const key = (kind, name) => `${kind}\t${name}`;
for (const row of [...body.rows]) {
  const { kind, name, reason } = row.dataset;
  state.set(key(kind, name), { kind, name, reason, old: true, on: true });
}
const choices = [...document.querySelectorAll(".choice")];
const choice = new Map(choices.map((box) => [key(box.dataset.kind, box.dataset.name), box]));
let saved = true; // whether the file was downloaded since the last change
let kept = true; // whether the browser remembers the changes

// One line of text without tabs: what a cell of the table can hold. A mark in front keeps
// spreadsheets from taking a reason for a formula.
function clean(text) {
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\s]+/gu, " ").trim();
  return /^[=+\-@]/.test(line) ? `'${line}` : line;
}

const reasonOf = (row) => (row.old ? row.reason : clean(row.reason) || DEFAULT);

function written() {
  const rows = [...state.values()].filter((row) => row.on);
  const lines = rows.map((row) => [row.kind, row.name, reasonOf(row)]);
  return [["kind", "name", "reason"], ...lines].map((cells) => cells.join("\t")).join("\n") + "\n";
}

function store() {
  const changed = [...state.values()].filter((row) => row.on !== row.old || !row.old);
  try {
    localStorage.setItem(keep, JSON.stringify(changed));
    kept = true;
  } catch {
    kept = false;
    get("said").textContent = "This browser keeps nothing when the page is closed: download before that.";
  }
}

function recall() {
  let rows = [];
  try {
    rows = JSON.parse(localStorage.getItem(keep) ?? "[]");
  } catch {
    return;
  }
  for (const { kind, name, reason, on } of rows) {
    const known = state.get(key(kind, name));
    if (known) known.on = on || !known.old;
    else if (on && choice.has(key(kind, name))) state.set(key(kind, name), { kind, name, reason, old: false, on });
  }
}

function toggle(kind, name) {
  const row = state.get(key(kind, name));
  if (!row) state.set(key(kind, name), { kind, name, reason: "", old: false, on: true });
  else if (row.old) row.on = !row.on;
  else state.delete(key(kind, name));
  changed();
}

function changed() {
  saved = false;
  store();
  draw();
}

// --- the page follows the state

function draw() {
  for (const [name, box] of choice) drawChoice(box, state.get(name));
  body.replaceChildren(...[...state.values()].map(drawRow));
  get("none").hidden = state.size > 0;
  const pending = [...state.values()].filter((row) => !row.old || !row.on).length;
  get("bar").hidden = saved || pending === 0;
  get("pending").textContent = pending === 1 ? "1 change." : `${pending} changes.`;
  if (get("show").value === "rejected") filter();
}

function drawChoice(box, row) {
  const on = Boolean(row?.on);
  const button = box.querySelector("button");
  const what = box.dataset.kind === "pair" ? "the pair" : "this mixture";
  button.setAttribute("aria-pressed", String(on));
  button.textContent = on ? "Rejected – take back" : `Reject ${what}`;
  box.closest(box.dataset.kind === "pair" ? ".head" : "figure").classList.toggle("rejected", on);
  let input = box.querySelector("input");
  if (!on || row.old) input?.remove();
  else if (!input) {
    input = document.createElement("input");
    input.type = "text";
    input.placeholder = "why";
    input.setAttribute("list", "reasons");
    input.setAttribute("aria-label", `Why ${box.dataset.title} is rejected`);
    input.value = row.reason;
    input.addEventListener("input", () => {
      state.get(key(box.dataset.kind, box.dataset.name)).reason = input.value;
      changed();
    });
    box.append(input);
  }
}

function drawRow(row) {
  const line = document.createElement("tr");
  line.className = row.on ? "" : "gone";
  const cells = [row.kind, row.name, reasonOf(row), row.old ? "in the table" : "new", ""];
  cells.forEach((text, place) => {
    const cell = document.createElement(place === 1 ? "th" : "td");
    if (place === 1) cell.scope = "row";
    cell.textContent = text;
    line.append(cell);
  });
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = row.on ? "Take back" : "Reject again";
  button.setAttribute("aria-label", `${button.textContent}: ${row.kind} ${row.name}`);
  button.addEventListener("click", () => {
    const place = [...body.rows].indexOf(button.closest("tr"));
    toggle(row.kind, row.name);
    (body.rows[Math.min(place, body.rows.length - 1)]?.querySelector("button") ?? get("download")).focus();
  });
  line.lastChild.append(button);
  return line;
}

// --- sort, filter, variant, one sound at a time

function sort() {
  const name = get("sort").value;
  const falling = get("order").getAttribute("aria-pressed") === "true";
  const compare = (a, b) => {
    const [x, y] = [a.dataset[name], b.dataset[name]];
    if (x === "" || y === "") return (x === "") - (y === "");
    const order = name === "background" ? x.localeCompare(y) : Number(x) - Number(y);
    return falling ? -order : order;
  };
  get("list").append(...[...pairs].sort(compare));
}

function filter() {
  const words = get("find").value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = get("show").value;
  let seen = 0;
  for (const pair of pairs) {
    pair.words ??= [pair.querySelector("h3"), ...pair.querySelectorAll("code")].map((e) => e.textContent).join(" ").toLowerCase();
    const kind = wanted === "rejected" ? pair.querySelector("[aria-pressed='true']") : !wanted || pair.dataset.kind === wanted;
    pair.hidden = !(kind && words.every((word) => pair.words.includes(word)));
    seen += pair.hidden ? 0 : 1;
  }
  get("count").textContent = `${seen} of ${pairs.length} pairs`;
}

function change(variant) {
  for (const figure of document.querySelectorAll("figure[data-id]")) {
    const [sound, picture] = [figure.querySelector("audio"), figure.querySelector("img")];
    for (const fact of figure.querySelectorAll("[data-variant]")) fact.hidden = fact.dataset.variant !== variant;
    const fact = figure.querySelector("[data-variant]:not([hidden])");
    const path = `${get("list").dataset.folder}/${variant}/${figure.dataset.id}`;
    sound.hidden = picture.hidden = "missing" in fact.dataset;
    if (!sound.hidden) {
      sound.src = `${path}.flac`;
      picture.src = `${path}.png`;
      picture.alt = fact.dataset.alt;
    }
  }
}

document.addEventListener("play", (event) => {
  for (const sound of document.querySelectorAll("audio")) if (sound !== event.target) sound.pause();
}, true);
for (const box of choices) {
  box.hidden = false;
  box.querySelector("button").addEventListener("click", () => {
    toggle(box.dataset.kind, box.dataset.name);
    box.querySelector("input")?.focus();
  });
}
get("find").addEventListener("input", filter);
get("show").addEventListener("change", filter);
get("sort").addEventListener("change", sort);
get("order").addEventListener("click", () => {
  get("order").setAttribute("aria-pressed", String(get("order").getAttribute("aria-pressed") !== "true"));
  sort();
});
get("variant")?.addEventListener("change", () => change(get("variant").value));
get("download").addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([written()], { type: "text/tab-separated-values" }));
  link.download = "rejected.tsv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  saved = true;
  get("said").textContent = "Saved as rejected.tsv in the folder of your downloads.";
  draw();
});
addEventListener("beforeunload", (event) => {
  if (!saved && !kept) event.preventDefault();
});
get("tools").hidden = get("saving").hidden = false;
recall();
saved = ![...state.values()].some((row) => !row.old || !row.on);
draw();
filter();
