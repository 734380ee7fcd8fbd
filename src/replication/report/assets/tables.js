// Tables that sort, search and fold: six columns stand side by side; a row opens to the others.
"use strict";
const listings = new Map(); // host -> its listing
const STEP = 25; // rows that are shown at first
const natural = new Intl.Collator("en", { numeric: true }).compare;

// An element of one kind, with attributes and content; no text is ever read as HTML.
function make(kind, attributes = {}, ...content) {
  const made = document.createElement(kind);
  for (const [name, given] of Object.entries(attributes)) made.setAttribute(name, given);
  made.append(...content);
  return made;
}

// Copies of what stands in an element.
const copied = (one) => [...one.cloneNode(true).childNodes];
const value = (cell) => cell.querySelector("data[value]")?.value ?? cell.textContent.trim();
const listing = (host) => listings.get(host) ?? listings.set(host, new Listing(host)).get(host);

// Rows in the order of a column: numbers first, then words, then empty cells.
function ordered(rows, column, sign) {
  const keyed = rows.map((row) => {
    const text = value(row.cells[column]);
    const number = Number.parseFloat(text.replace(/,/g, "").replace(/^−/, "-"));
    return [row, Number.isNaN(number) ? text : number, Number.isNaN(number) + (text === "")];
  });
  return keyed.sort(([, a, x], [, b, y]) => x - y || sign * (x ? natural(a, b) : a - b)).map(([row]) => row);
}

// Headings become buttons; `sort` takes a column and 1 or -1.
function sortable(cells, sort) {
  cells.forEach((cell, i) => {
    const button = make("button", { type: "button" }, ...copied(cell));
    cell.replaceChildren(button);
    cell.ariaSort = "none";
    button.addEventListener("click", () => {
      const sign = cell.ariaSort === "ascending" ? -1 : 1;
      for (const one of cells) one.ariaSort = "none";
      cell.ariaSort = sign > 0 ? "ascending" : "descending";
      sort(i, sign);
    });
  });
}

class Listing {
  constructor(host) {
    this.host = host;
    this.table = host.querySelector("table");
    if (host.dataset.of) this.borrow(listing(document.getElementById(host.dataset.of)));
    this.body = this.table.tBodies[0];
    this.heads = [...this.table.tHead.rows[0].cells];
    this.rows = this.order = [...this.body.rows];
    this.texts = new Map(this.rows.map((row) => [row, `\n${[...row.cells].map((cell) => cell.textContent).join("\n")}\n`.toLowerCase()]));
    sortable(this.heads, (column, sign) => {
      this.order = ordered(this.rows, column, sign);
      this.draw();
    });
    this.build();
  }

  // The rows of another table that lead to the section of this one, under the same headings.
  borrow(whole) {
    const way = `#${this.host.closest("section").id}`;
    const rows = whole.rows.filter((row) => row.cells[0].querySelector("a")?.hash === way).map((row) => Object.assign(row.cloneNode(true), { id: "" }));
    this.table.append(whole.table.tHead.cloneNode(true), document.createElement("tbody"));
    this.table.tBodies[0].append(...rows);
  }

  build() {
    this.box = make("input", { type: "search", placeholder: "Search this table" });
    this.status = make("span", { role: "status" });
    this.tools = make("div", { class: "tools" }, this.box, this.status);
    this.box.ariaLabel = `Search: ${this.table.ariaLabel}`;
    if (this.rows.length <= 10) this.box.remove();
    this.menus = this.heads.flatMap((head, column) => {
      const values = [...new Set(this.rows.map((row) => value(row.cells[column])))].filter((one) => one);
      if (head.dataset.choice === undefined || values.length < 2) return [];
      const menu = make("select", {}, new Option("all", ""), ...values.map((one) => new Option(one)));
      menu.value = values.includes(head.dataset.choice) ? head.dataset.choice : "";
      this.status.before(make("label", {}, `${head.textContent} `, menu));
      return [{ column, menu }];
    });
    this.feet = make("div", { class: "more-rows" });
    this.table.before(this.tools);
    this.table.after(this.feet);
    this.tools.addEventListener("input", () => this.fresh());
    this.feet.addEventListener("click", (event) => {
      this.limit += Number(event.target.dataset.rows || 0);
      this.draw();
    });
    this.body.addEventListener("click", (event) => {
      const row = event.target.closest("tr.can");
      if (row && !event.target.closest("a") && !String(window.getSelection())) this.toggle(row);
    });
    this.fresh();
  }

  // Rows that match the search and the menus; a phrase in quotes matches a whole cell.
  found() {
    const asked = (this.box.value.toLowerCase().match(/"[^"]+"|[^\s"]+/g) || []).map((one) => one.replace(/"/g, "\n"));
    return this.order.filter((row) => asked.every((one) => this.texts.get(row).includes(one))
      && this.menus.every(({ column, menu }) => !menu.value || value(row.cells[column]) === menu.value));
  }

  fresh() {
    this.limit = STEP;
    this.details = new Map(); // open row -> what stands below it
    this.draw();
  }

  draw() {
    const rows = this.found();
    const shown = rows.slice(0, this.limit);
    for (const row of this.heads.some((head) => head.matches(".folded")) ? shown : []) {
      if (!row.matches(".can")) row.cells[0].prepend(make("button", { type: "button", class: "open", "aria-label": "Details of this row" }));
      row.className = "can";
      row.querySelector(".open").ariaExpanded = String(this.details.has(row));
    }
    this.body.replaceChildren(...shown.flatMap((row) => (this.details.has(row) ? [row, this.details.get(row)] : [row])));
    this.status.textContent = `${shown.length} of ${rows.length} rows${rows.length < this.rows.length ? ` (filtered from ${this.rows.length})` : ""}`;
    const more = (number, text) => make("button", { type: "button", "data-rows": number }, text);
    const steps = [more(STEP, `show ${STEP} more rows`), more(rows.length, `show all ${rows.length}`)];
    this.feet.replaceChildren(...(rows.length > shown.length ? steps : []));
  }

  toggle(row) {
    if (!this.details.delete(row)) {
      const list = make("dl");
      this.heads.forEach((head, i) => {
        const cell = row.cells[i];
        if (head.matches(".folded") && cell.childNodes.length) list.append(make("dt", {}, head.textContent), make("dd", {}, ...copied(cell)));
      });
      const line = make("tr", { class: "detail" }, make("td", { colspan: 6 }, list));
      const piece = (i) => document.getElementById("pieces").content.children[i].cloneNode(true);
      for (const chain of line.querySelectorAll("data.chain")) chain.replaceWith(...(chain.value.match(/\d+/g) ?? []).map(piece));
      this.details.set(row, line);
    }
    this.draw();
    row.querySelector(".open").focus({ preventScroll: true });
  }

  search(query) {
    for (const { menu } of this.menus) menu.value = "";
    this.box.value = query;
    this.fresh();
  }

  // All rows of one address, the first of them opened.
  show(id) {
    this.search(`"${id}"`);
    this.toggle(this.found()[0]);
  }

  paper(printing) {
    this.limit = printing ? Number(this.host.dataset.printed) || (this.host.dataset.of ? 0 : this.rows.length) : STEP;
    this.draw();
  }
}
