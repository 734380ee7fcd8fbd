// One page of the report at a time: a link shows its page and lands on its heading at once.
"use strict";
(() => {
  const pages = [...document.querySelectorAll("section.page")];
  const hosts = [...document.querySelectorAll("div.data:not([data-of])")]; // the others are not printed
  const contents = document.getElementById("contents");
  const root = document.documentElement;

  function mark(page) {
    contents.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const link = contents.querySelector(`a[href="#${CSS.escape(page.id)}"]`);
    link.setAttribute("aria-current", "page");
    const group = link.closest("details");
    if (group) group.open = true;
    link.scrollIntoView({ block: "nearest" });
  }

  function neighbours(page) {
    const at = pages.indexOf(page);
    const links = [[at - 1, "← ", ""], [at + 1, "", " →"]].map(([i, before, after]) => {
      if (!pages[i]) return make("span");
      return make("a", { href: `#${pages[i].id}` }, before + pages[i].querySelector("h1").textContent + after);
    });
    document.getElementById("turn").replaceChildren(...links);
  }

  // The table with a row of this address; rows that are not shown are not in the document.
  function tableOf(id) {
    const row = document.getElementById(id);
    if (row?.matches("tr")) return listing(row.closest("div.data"));
    return row ? null : [...listings.values()].find((one) => one.rows.some((other) => other.id === id));
  }

  // What a table is asked for stands behind its page in the address: #numbers?Verdict=differs&q=vote
  function asked(one) {
    const found = new URLSearchParams(one.menus.map(({ column, menu }) => [one.heads[column].textContent, menu.value]));
    if (one.box.value) found.set("q", one.box.value);
    return found;
  }

  function ask(one, query) {
    const wanted = new URLSearchParams(query);
    one.box.value = wanted.get("q") ?? "";
    for (const { column, menu } of one.menus) menu.value = wanted.get(one.heads[column].textContent) ?? "";
    one.fresh();
  }

  function go(hash) {
    document.getElementById("opening")?.remove();
    const [way, query] = hash.slice(1).split("?");
    const id = decodeURIComponent(way);
    const table = id && tableOf(id);
    const target = table ? table.host : document.getElementById(id);
    const page = target?.closest("section.page") || pages[0];
    const found = document.getElementById("found");
    found.hidden = !id || Boolean(target);
    if (!found.hidden) {
      found.replaceChildren(make("h2", {}, `This report has no page or row “${id}”`));
    }
    for (const one of pages) one.classList.toggle("shown", one === page);
    for (const host of page.querySelectorAll("div.data")) listing(host);
    mark(page);
    neighbours(page);
    document.title = page.querySelector("h1").textContent;
    if (table) table.show(id);
    else if (query) ask(listing(page.querySelector("div.data")), query);
    if (!target || target === page) window.scrollTo(0, 0);
    else (document.getElementById(id) || target).scrollIntoView();
  }

  // Headings over several columns span those that are shown.
  function unfold(button) {
    const table = button.closest("section").querySelector("table.paper");
    const few = table.classList.toggle("few");
    for (const cell of table.querySelectorAll("th[data-all]")) cell.colSpan = Number(few ? cell.dataset.few : cell.dataset.all) || 1;
    button.textContent = few ? `Show all ${table.tBodies[0].rows[0].cells.length} columns` : "Show fewer columns";
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-columns]");
    if (button) unfold(button);
    const link = event.target.closest('a[href^="#"]');
    if (!link) return;
    event.preventDefault();
    if (link.hash !== location.hash) {
      history.replaceState({ top: window.scrollY }, "");
      history.pushState(null, "", link.hash);
    }
    go(link.hash);
    if (link.dataset.search) listing(document.querySelector(`${link.hash} div.data`)).search(link.dataset.search);
    contents.classList.remove("open");
  });
  const menu = document.getElementById("menu");
  menu.addEventListener("click", () => { menu.ariaExpanded = String(contents.classList.toggle("open")); });
  document.getElementById("theme").addEventListener("click", () => {
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    root.dataset.theme = (root.dataset.theme || system) === "dark" ? "light" : "dark";
  });
  document.addEventListener("input", (event) => {
    const host = event.target.closest(".tools")?.parentElement;
    const page = host?.closest("section.page");
    if (host && host === page.querySelector("div.data")) history.replaceState(history.state, "", `#${page.id}?${asked(listing(host))}`);
  });
  window.addEventListener("popstate", (event) => {
    go(location.hash);
    if (event.state) window.scrollTo(0, event.state.top);
  });
  window.addEventListener("hashchange", (event) => { if (!history.state) go(location.hash); });
  window.addEventListener("beforeprint", () => {
    for (const image of document.querySelectorAll("img[loading]")) image.loading = "eager";
    for (const host of hosts) listing(host).paper(true);
  });
  window.addEventListener("afterprint", () => { for (const one of listings.values()) one.paper(false); });
  history.scrollRestoration = "manual";
  for (const table of document.querySelectorAll("table.paper")) {
    const body = table.tBodies[0];
    if (body.rows.length > 3) sortable([...[...table.tHead.rows].at(-1).cells], (column, sign) => body.append(...ordered([...body.rows], column, sign)));
  }
  go(location.hash);
})();
