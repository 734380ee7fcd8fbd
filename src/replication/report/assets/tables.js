// Tables of the ledger: filled, sorted, searched and opened in the browser. Six columns stand side
// by side; what is folded opens under its row.
"use strict";

const shared = JSON.parse(document.getElementById("shared").textContent);
const listings = new Map(); // id of the host -> its listing
const PAGE = 25;

function escaped(text) {
  return String(text).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

function slug(...names) {
  return names.join("-").replace(/[_. ]/g, "-");
}

const readingIds = Object.keys(shared.readings).sort((a, b) => b.length - a.length);
const readingPattern = readingIds.length
  ? new RegExp(`\`?(?<![\\w.])(${readingIds.map((id) => id.replace(/\./g, "\\.")).join("|")})(?![\\w.]*\\w)\`?|\`([^\`]+)\``, "g")
  : /(?!)()|`([^`]+)`/g;

function reading(id) {
  return `<a class="reading" href="#${slug("reading", id)}" title="${escaped(shared.readings[id].question)}">${escaped(id)}</a>`;
}

// A text in which the ids of readings lead to what they mean, and code is set as code.
function words(text) {
  return escaped(text).replace(readingPattern, (_, id, code) => (id ? reading(id) : `<code>${code}</code>`));
}

function marked(name) {
  if (!name) return "";
  return `<span class="verdict ${escaped(name.replace(/ /g, "-"))}"><b>${shared.marks[name] || ""}</b> ${escaped(name)}</span>`;
}

function link(text, way) {
  return way ? `<a href="${escaped(way)}">${escaped(text)}</a>` : escaped(text);
}

// One thing that a number rests on: what it is, where it is configured, where its code is.
function piece(key) {
  const one = shared.pieces[key];
  const lines = [];
  if (one.class) lines.push(`<code>${escaped(one.class)}</code>`);
  if (one.parameters) lines.push(`<code>${escaped(one.parameters)}</code>`);
  const places = ["config", "source"].filter((name) => one[name]).map((name) => link(...one[name]));
  if (places.length) lines.push(places.join(" · "));
  for (const [id, answer] of Object.entries(one.readings || {})) {
    const entry = shared.readings[id];
    lines.push(entry ? `${reading(id)}: ${escaped(entry.choices[answer] || answer)}` : `${escaped(id)}: ${escaped(answer)}`);
  }
  for (const [name, hash, route] of one.files || []) {
    lines.push(`<code>${escaped(name)}</code> SHA-256 <code>${escaped(hash)}</code>${route ? ` (${escaped(route)})` : ""}`);
  }
  const rest = lines.map((line) => `<span class="sub">${line}</span>`).join("");
  return `<div class="piece">${escaped(one.role)} <b>${escaped(one.label || one.id)}</b>${rest}</div>`;
}

const kinds = {
  text: { html: escaped, text: String, value: String },
  words: { html: words, text: String, value: String },
  code: { html: (cell) => `<code>${escaped(cell)}</code>`, text: String, value: String },
  number: {
    html: (cell) => (cell ? escaped(cell[0]) : ""),
    text: (cell) => (cell ? cell[0] : ""),
    value: (cell) => (cell && cell[1] !== null ? cell[1] : Number.NEGATIVE_INFINITY),
  },
  verdict: { html: marked, text: String, value: String },
  link: { html: (cell) => link(...cell), text: (cell) => cell[0], value: (cell) => cell[0] },
  chain: { html: (cell) => cell.map((i) => piece(pieceKeys[i])).join(""), text: () => "", value: () => "" },
};
const pieceKeys = Object.keys(shared.pieces);
const natural = new Intl.Collator("en", { numeric: true }).compare;

function compare(a, b) {
  return typeof a === "number" ? a - b : natural(a, b);
}

class Listing {
  constructor(host) {
    this.host = host;
    this.read();
    this.name = host.querySelector("caption").textContent;
    this.columns = this.heads.map((head, i) => i).filter((i) => !this.heads[i].folded);
    this.folded = this.heads.map((head, i) => i).filter((i) => this.heads[i].folded);
    this.phone = this.heads.findIndex((head) => head.phone);
    this.ids = this.heads.findIndex((head) => head.title === "Id");
    this.query = "";
    this.menus = new Map();
    this.opened = new Set();
    this.order = null;
    this.limit = PAGE;
    this.index();
    this.build();
    this.draw();
  }

  read() {
    const host = this.host;
    if (host.dataset.of) {
      // some rows of another table, in its form
      const whole = listing(document.getElementById(host.dataset.of));
      Object.assign(this, { heads: whole.heads, chosen: whole.chosen, printed: 0 });
      this.rows = whole.rows.filter((row) => row[0][0] === host.dataset.first);
    } else {
      Object.assign(this, JSON.parse(host.querySelector("script").textContent));
    }
  }

  // What a search looks into.
  index() {
    this.text = this.rows.map((row) =>
      `\n${this.heads.map((head, i) => kinds[head.kind].text(row[i])).join("\n")}\n`.toLowerCase());
  }

  build() {
    const tools = document.createElement("div");
    tools.className = "tools";
    const small = this.rows.length <= 10;
    tools.innerHTML = `${small ? "" : `<input type="search" placeholder="Search this table" aria-label="Search: ${escaped(this.name)}">`}<span role="status"></span>`;
    const status = tools.querySelector("[role=status]");
    this.heads.forEach((head, i) => {
      const values = head.choice ? [...new Set(this.rows.map((row) => row[i]))].filter((one) => one !== "") : [];
      if (values.length < 2) return;
      const label = document.createElement("label");
      const options = ["", ...values].map((one) => `<option value="${escaped(one)}">${escaped(one || "all")}</option>`);
      label.innerHTML = `${escaped(head.title)} <select data-column="${i}">${options.join("")}</select>`;
      const menu = label.querySelector("select");
      const wanted = this.chosen[head.title];
      if (wanted && values.includes(wanted)) menu.value = wanted;
      this.menus.set(i, menu);
      menu.addEventListener("change", () => this.fresh());
      tools.insertBefore(label, status);
    });
    this.box = tools.querySelector("input");
    if (this.box) this.box.addEventListener("input", () => { this.query = this.box.value; this.fresh(); });
    this.host.prepend(tools);
    const table = this.host.querySelector("table");
    const head = table.createTHead().insertRow();
    for (const i of this.columns) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.className = this.heads[i].kind;
      cell.innerHTML = `<button type="button">${escaped(this.heads[i].title)}</button>`;
      cell.firstChild.addEventListener("click", () => this.sort(i));
      head.append(cell);
    }
    this.body = table.createTBody();
    this.body.addEventListener("click", (event) => {
      const row = event.target.closest("tr.can");
      if (row && !event.target.closest("a") && !String(window.getSelection())) this.toggle(Number(row.dataset.row));
    });
    this.feet = document.createElement("div");
    this.feet.className = "more-rows";
    this.feet.addEventListener("click", (event) => {
      if (!event.target.dataset.rows) return;
      this.limit += Number(event.target.dataset.rows);
      this.draw();
    });
    table.after(this.feet);
  }

  sort(i) {
    const down = this.order && this.order[0] === i && this.order[1] > 0;
    this.order = [i, down ? -1 : 1];
    this.draw();
  }

  // Rows that fit the search and the menus; a phrase in quotes is the whole of a cell.
  found() {
    const asked = [];
    const rest = this.query.toLowerCase().replace(/"([^"]+)"/g, (_, phrase) => { asked.push(`\n${phrase}\n`); return " "; });
    asked.push(...rest.split(/\s+/).filter((one) => one));
    const rows = this.rows.map((row, i) => i).filter((i) =>
      asked.every((one) => this.text[i].includes(one))
      && [...this.menus].every(([column, menu]) => !menu.value || this.rows[i][column] === menu.value));
    if (this.order) {
      const [column, sign] = this.order;
      const value = kinds[this.heads[column].kind].value;
      rows.sort((a, b) => sign * compare(value(this.rows[a][column]), value(this.rows[b][column])) || a - b);
    }
    return rows;
  }

  fresh() {
    this.limit = PAGE;
    this.opened.clear();
    this.draw();
  }

  draw() {
    const rows = this.found();
    const shown = rows.slice(0, this.limit);
    this.body.innerHTML = shown.map((i) => this.line(i) + (this.opened.has(i) ? this.detail(i) : "")).join("");
    this.host.querySelector("[role=status]").textContent =
      rows.length === this.rows.length ? `${shown.length} of ${rows.length} rows` : `${shown.length} of ${rows.length} rows (of ${this.rows.length})`;
    this.feet.innerHTML = rows.length > shown.length
      ? `<button type="button" data-rows="${PAGE}">${PAGE} more rows</button><button type="button" data-rows="${rows.length}">all ${rows.length}</button>` : "";
    [...this.host.querySelectorAll("thead th")].forEach((cell, k) => {
      const on = this.order && this.order[0] === this.columns[k];
      cell.ariaSort = on ? (this.order[1] > 0 ? "ascending" : "descending") : "none";
    });
  }

  line(i) {
    const row = this.rows[i];
    const can = this.folded.length > 0;
    const cells = this.columns.map((column, k) => {
      const head = this.heads[column];
      const open = this.opened.has(i);
      const button = can && k === 0 ? `<button type="button" class="open" aria-expanded="${open}" aria-label="All about this row">${open ? "▾" : "▸"}</button>` : "";
      const named = head.kind === "number" || head.title === "Holds in" || head.title === "In print" ? ` data-head="${escaped(head.title)}"` : "";
      return `<td class="${head.kind}"${named}>${button}${kinds[head.kind].html(row[column])}</td>`;
    });
    if (this.phone >= 0) cells.push(`<td class="phone">${kinds[this.heads[this.phone].kind].html(row[this.phone])}</td>`);
    return `<tr data-row="${i}"${can ? ' class="can"' : ""}>${cells.join("")}</tr>`;
  }

  detail(i) {
    const row = this.rows[i];
    const parts = this.folded.map((column) => {
      const head = this.heads[column];
      let shown = row[column] === "" || row[column] === null ? "" : kinds[head.kind].html(row[column]);
      if (head.title === "Reading" && shared.names[row[column]]) shown = `<b>${shown}</b>: ${escaped(shared.names[row[column]])}`;
      return shown ? `<dt>${escaped(head.title)}</dt><dd>${shown}</dd>` : "";
    });
    const id = this.ids >= 0 ? row[this.ids] : "";
    if (id && this.heads[this.heads.length - 1].kind === "chain") {
      parts.push(`<dt>Make it again</dt><dd><code>python -m replication explain ${escaped(shared.papers[row[this.heads.findIndex((head) => head.title === "Paper")]])} ${escaped(id)}</code><span class="sub">${link("its table or figure", row[0][1])} has the command that makes it</span></dd>`);
      parts.push(`<dt>Link</dt><dd><a href="#${encodeURIComponent(id)}">#${escaped(id)}</a> (all readings of it)</dd>`);
    }
    return `<tr class="detail"><td colspan="${this.columns.length}"><dl>${parts.join("")}</dl></td></tr>`;
  }

  toggle(i) {
    const had = this.opened.delete(i);
    if (!had) this.opened.add(i);
    this.draw();
    const button = this.body.querySelector(`tr[data-row="${i}"] .open`);
    if (button) button.focus({ preventScroll: true });
  }

  search(query) {
    for (const menu of this.menus.values()) menu.value = "";
    if (this.box) this.box.value = query;
    this.query = query;
    this.fresh();
  }

  // All rows of one id, the first of them opened.
  show(id) {
    this.search(`"${id}"`);
    const [first] = this.found();
    if (first !== undefined) this.opened.add(first);
    this.draw();
  }

  paper(printing) {
    this.limit = printing ? this.printed ?? Number.MAX_SAFE_INTEGER : PAGE;
    this.draw();
  }
}

function listing(host) {
  if (!listings.has(host.id)) listings.set(host.id, new Listing(host));
  return listings.get(host.id);
}
