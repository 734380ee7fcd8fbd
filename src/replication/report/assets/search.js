// One search over everything: tables and figures, numbers, claims, readings.
"use strict";
(() => {
  const box = document.getElementById("find");
  const list = document.getElementById("found");
  const MOST = { "Tables and figures": 8, Numbers: 25, Claims: 12, Readings: 12 };
  let entries = null;

  function plain(text) {
    return text.toLowerCase().replace(/_/g, " ");
  }

  // `parts` are elements whose content is shown, `rest` is more text that can be asked for.
  function add(kind, way, parts, rest, why) {
    const html = parts.map((one) => `${one.dataset.head ? `${one.dataset.head} ` : ""}${one.innerHTML}`.replace(/<\/?(a|button)\b[^>]*>/g, "")).join(" · ");
    const first = plain(parts.map((one) => one.textContent).join(" "));
    entries.push({ kind, way, html: `${html}<span class="why">${why ? why.textContent : ""}</span>`, first, all: `${first} ${plain(rest)}` });
  }

  function gather() {
    entries = [];
    for (const page of document.querySelectorAll("section.page")) {
      const link = document.querySelector(`#contents a[href="#${page.id}"]`);
      const group = link.closest("details")?.querySelector("summary a");
      add("Tables and figures", page.id, [group === link ? null : group, link, page.querySelector("h1")].filter((one) => one), page.querySelector("p")?.textContent || "");
    }
    for (const host of document.querySelectorAll('div.data:not([data-find=""])[data-find]')) {
      for (const row of listing(host).rows) {
        const cells = [...row.cells];
        const shown = cells.filter((cell) => !cell.matches(".folded") && cell.textContent);
        if (row.id) add(host.dataset.find, row.id, shown, `${row.id} ${row.textContent}`, row.querySelector(".phone"));
      }
    }
    for (const one of document.querySelectorAll(".entry")) add("Readings", one.id, [...one.querySelectorAll("h3, h3 + p")], one.textContent);
  }

  function look() {
    const asked = plain(box.value).split(/\s+/).filter((one) => one);
    list.hidden = !asked.length;
    if (!asked.length) return;
    if (!entries) gather();
    const parts = [];
    for (const [kind, most] of Object.entries(MOST)) {
      const fitting = entries.filter((one) => one.kind === kind && asked.every((word) => one.all.includes(word)));
      const near = new Set(fitting.filter((one) => asked.every((word) => one.first.includes(word))));
      const shown = [...new Set([...near, ...fitting])].slice(0, most);
      if (!shown.length) continue;
      parts.push(`<h2>${kind}: ${fitting.length}</h2>`, ...shown.map((one) => `<a href="#${one.way}">${one.html}</a>`));
      if (kind === "Numbers" && fitting.length > most) parts.push(`<a href="#numbers" data-search="${box.value.replace(/"/g, "&quot;")}">all ${fitting.length} numbers that fit</a>`);
    }
    list.innerHTML = parts.join("") || "<h2>Nothing fits</h2>";
  }

  function move(step) {
    const links = [...list.querySelectorAll("a")];
    const at = links.findIndex((one) => one.classList.contains("here"));
    const next = links[(at + step + links.length) % links.length];
    links[at]?.classList.remove("here");
    next?.classList.add("here");
    next?.scrollIntoView({ block: "nearest" });
  }

  box.addEventListener("input", look);
  box.addEventListener("focus", look);
  box.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Escape") list.hidden = true;
    else if (event.key === "Enter") (list.querySelector("a.here") || list.querySelector("a") || box).click();
    else return;
    if (event.key.startsWith("Arrow")) event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest("#finder") || event.target.closest("#found a")) list.hidden = true;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.closest("input, select, textarea")) return;
    event.preventDefault();
    box.focus();
  });
})();
