// One page of the report at a time: a link shows its page and lands on its heading at once.
"use strict";
(() => {
  const pages = [...document.querySelectorAll("section.page")];
  const contents = document.getElementById("contents");
  const turn = document.getElementById("turn");
  const root = document.documentElement;

  // Rows of the ledger have addresses too: table and id.
  function rowOf(id) {
    for (const name of ["numbers-table", "claims-table"]) {
      const host = document.getElementById(name);
      if (!host) continue;
      const one = listing(host);
      if (one.rows.some((row) => row[one.ids] === id)) return one;
    }
    return null;
  }

  function mark(page) {
    for (const link of contents.querySelectorAll("[aria-current]")) link.removeAttribute("aria-current");
    const link = contents.querySelector(`a[href="#${CSS.escape(page.id)}"]`);
    if (!link) return;
    link.setAttribute("aria-current", "page");
    const group = link.closest("details");
    if (group) group.open = true;
    const place = link.getBoundingClientRect();
    const frame = contents.getBoundingClientRect();
    if (place.top < frame.top || place.bottom > frame.bottom) {
      contents.scrollTop += place.top - frame.top - frame.height / 3;
    }
  }

  function neighbours(page) {
    const at = pages.indexOf(page);
    const near = [[pages[at - 1], "← "], [pages[at + 1], ""]].map(([one, arrow], i) =>
      (one ? `<a href="#${one.id}">${arrow}${escaped(one.querySelector("h1").textContent)}${i ? " →" : ""}</a>` : "<span></span>"));
    turn.innerHTML = near.join("");
  }

  function go(hash) {
    document.getElementById("opening")?.remove();
    const id = decodeURIComponent(hash.slice(1));
    let target = id ? document.getElementById(id) : pages[0];
    const row = target ? null : rowOf(id);
    if (row) target = row.host;
    const page = (target && target.closest("section.page")) || pages[0];
    for (const one of pages) one.classList.toggle("shown", one === page);
    for (const host of page.querySelectorAll("div.data")) listing(host);
    if (row) row.show(id);
    mark(page);
    neighbours(page);
    document.title = page.querySelector("h1").textContent;
    if (!target || target === page || row) window.scrollTo(0, 0);
    else target.scrollIntoView();
  }

  // A table of a paper sorts by any column of its own.
  function sortable(table) {
    const body = table.tBodies[0];
    if (body.rows.length < 4) return;
    const heads = [...table.tHead.rows].flatMap((row) => [...row.cells]).filter((cell) => cell.scope === "col");
    const spans = [...table.tHead.rows[0].cells];
    // headings without a group above them stand in the last row too
    const cells = table.tHead.rows.length > 1 && spans.every((cell) => cell.scope === "colgroup") ? [...table.tHead.rows[1].cells] : heads;
    cells.forEach((cell, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...cell.childNodes);
      cell.append(button);
      button.addEventListener("click", () => {
        const sign = cell.ariaSort === "ascending" ? -1 : 1;
        for (const one of cells) one.ariaSort = "none";
        cell.ariaSort = sign > 0 ? "ascending" : "descending";
        const value = (row) => {
          const text = row.cells[i].textContent.trim();
          const number = Number.parseFloat(text.replace(/,/g, "").replace(/^−/, "-"));
          return Number.isNaN(number) ? text : number;
        };
        const order = (a, b) => {
          const [x, y] = [value(a), value(b)];
          if (typeof x === typeof y) return sign * compare(x, y);
          return typeof x === "number" ? -1 : 1; // words and empty cells last
        };
        body.append(...[...body.rows].sort(order));
      });
    });
  }

  document.addEventListener("click", (event) => {
    const wide = event.target.closest("button[data-columns]");
    if (wide) {
      const table = wide.closest("section").querySelector("table.paper");
      const few = table.classList.toggle("few");
      for (const cell of table.querySelectorAll("th[data-all]")) {
        cell.colSpan = Number(few ? cell.dataset.few || 1 : cell.dataset.all) || 1;
      }
      wide.textContent = few ? `All ${table.tBodies[0].rows[0].cells.length} columns` : "Fewer columns";
      return;
    }
    const link = event.target.closest('a[href^="#"]');
    if (!link) return;
    event.preventDefault();
    if (link.hash !== location.hash) history.pushState(null, "", link.hash);
    go(link.hash);
    if (link.dataset.search) {
      const host = document.getElementById(link.hash.slice(1)).querySelector("div.data");
      listing(host).search(link.dataset.search);
    }
    contents.classList.remove("open");
  });

  const menu = document.getElementById("menu");
  menu.addEventListener("click", () => {
    menu.ariaExpanded = String(contents.classList.toggle("open"));
  });
  document.getElementById("theme").addEventListener("click", () => {
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    root.dataset.theme = (root.dataset.theme || system) === "dark" ? "light" : "dark";
  });
  window.addEventListener("popstate", () => go(location.hash));
  window.addEventListener("hashchange", () => go(location.hash));
  window.addEventListener("beforeprint", () => {
    for (const image of document.querySelectorAll("img[loading]")) image.loading = "eager";
    for (const host of document.querySelectorAll("div.data")) listing(host).paper(true);
  });
  window.addEventListener("afterprint", () => {
    for (const one of listings.values()) one.paper(false);
  });
  history.scrollRestoration = "manual";
  document.querySelectorAll("table.paper").forEach(sortable);
  go(location.hash);
})();
