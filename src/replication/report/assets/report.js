// Tables of the report. DataTables is loaded and a table is filled when it comes into view, the
// others in idle moments, so that the page opens at once.
(() => {
  "use strict";

  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const marks = { exact: "=", "within noise": "~", differs: "≠", "not comparable": "–", "not run": "∅" };
  const words = { search: "Search:", lengthMenu: "_MENU_ rows", info: "_START_ to _END_ of _TOTAL_",
    infoEmpty: "no rows", infoFiltered: "(of _MAX_)", emptyTable: "no rows", zeroRecords: "no row fits" };
  const made = new Map(); // host element -> promise of its table
  const tables = new Map(); // host element -> its table, once made
  const idle = window.requestIdleCallback || ((work) => setTimeout(work, 200));
  let library = null;

  // DataTables goes by a class of the root element, the theme by an attribute of the body.
  function followTheme() {
    const theme = document.body.dataset.theme;
    const isDark = theme === "dark" || (theme !== "light" && dark.matches);
    document.documentElement.classList.toggle("dark", isDark);
  }

  function load() {
    if (!library) {
      const packed = atob(document.getElementById("datatables").textContent);
      const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
      const url = URL.createObjectURL(new Blob([bytes], { type: "text/javascript" }));
      library = import(url).then((module) => {
        URL.revokeObjectURL(url);
        return module.default;
      });
    }
    return library;
  }

  function escaped(text) {
    return String(text).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
  }

  const shown = {
    text: escaped,
    short: escaped,
    wide: escaped,
    code: escaped,
    number: (cell) => (cell ? escaped(cell[0]) : ""),
    link: (cell) => (cell[1] ? `<a href="${escaped(cell[1])}">${escaped(cell[0])}</a>` : escaped(cell[0])),
    verdict: (name) =>
      `<span class="verdict ${escaped(name.replace(/ /g, "-"))}"><b>${marks[name] || ""}</b> ${escaped(name)}</span>`,
  };

  function column(head) {
    const definition = {
      className: head.kind,
      type: head.kind === "number" ? "num" : "string",
      render: (cell, purpose) => {
        if (purpose === "display") return shown[head.kind](cell);
        if (head.kind === "number") {
          if (purpose === "filter") return cell ? cell[0] : "";
          return cell && cell[1] !== null ? cell[1] : Number.NEGATIVE_INFINITY;
        }
        return head.kind === "link" ? cell[0] : cell;
      },
    };
    if (head.choice) definition.columnControl = [["searchList"]];
    return definition;
  }

  function fill(host, DataTable) {
    const table = host.querySelector("table");
    const content = JSON.parse(document.getElementById(table.dataset.content).textContent);
    const length = Number(host.dataset.length);
    const pages = content.rows.length > length;
    return new DataTable(table, {
      data: content.rows,
      columns: content.columns.map(column),
      order: content.order,
      pageLength: length,
      lengthMenu: [10, 25, 100, 500],
      paging: pages,
      deferRender: true,
      autoWidth: false,
      columnControl: [],
      language: words,
      layout: {
        topStart: "search",
        topEnd: pages ? "pageLength" : null,
        bottomStart: "info",
        bottomEnd: pages ? "paging" : null,
      },
    });
  }

  // A paper's table has its rows already; it only learns to sort and to search.
  function enhance(host, DataTable) {
    const table = host.querySelector("table");
    const rows = table.tBodies[0].rows.length;
    if (rows < 4) return null;
    return new DataTable(table, {
      paging: false,
      info: false,
      order: [],
      autoWidth: false,
      language: words,
      layout: { topStart: rows > 10 ? "search" : null, topEnd: null, bottomStart: null, bottomEnd: null },
    });
  }

  function make(host) {
    if (!made.has(host)) {
      made.set(host, load().then((DataTable) => {
        const table = (host.classList.contains("data") ? fill : enhance)(host, DataTable);
        const frame = host.querySelector(".dt-layout-table > div");
        if (frame) {
          // what scrolls must be reachable by keyboard
          const caption = host.querySelector("caption");
          frame.tabIndex = 0;
          frame.setAttribute("role", "region");
          frame.setAttribute("aria-label", caption ? caption.textContent : host.getAttribute("aria-label"));
          host.removeAttribute("tabindex");
          host.removeAttribute("role");
        }
        tables.set(host, table);
        host.dataset.ready = "yes";
        return table;
      }));
    }
    return made.get(host);
  }

  const hosts = [...document.querySelectorAll("div.data, div.scroll:has(> table.paper)")];

  const watcher = new IntersectionObserver(
    (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => {
      watcher.unobserve(entry.target);
      make(entry.target);
    }),
    { rootMargin: "400px" },
  );

  function makeNext() {
    const host = hosts.find((one) => one.classList.contains("data") && !made.has(one));
    if (host) make(host).then(() => idle(makeNext));
  }

  // A browser does not wait for promises before it prints: what is not made by then stays empty.
  function setLengths(name) {
    for (const [host, table] of tables) {
      if (host.classList.contains("data")) table.page.len(Number(host.dataset[name])).draw();
    }
  }

  // In a page of its own a link closes the drawer by leaving; here it has to be closed.
  document.querySelector(".sidebar-drawer").addEventListener("click", (event) => {
    if (event.target.closest("a")) document.getElementById("__navigation").checked = false;
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-search]");
    if (!link) return;
    make(document.querySelector(link.hash)).then((table) => table.search(link.dataset.search).draw());
  });

  followTheme();
  dark.addEventListener("change", followTheme);
  new MutationObserver(followTheme).observe(document.body, { attributeFilter: ["data-theme"] });
  hosts.forEach((host) => watcher.observe(host));
  window.addEventListener("load", () => idle(makeNext));
  window.addEventListener("beforeprint", () => setLengths("paper"));
  window.addEventListener("afterprint", () => setLengths("length"));
})();
