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

  function entry(kind, way, html, first, rest = "") {
    return { kind, way, html, first: plain(first), all: plain(`${first} ${rest}`) };
  }

  function rowsOf(id) {
    const host = document.getElementById(id);
    if (!host) return [];
    const { heads, rows } = listing(host);
    const at = Object.fromEntries(heads.map((head, i) => [head.title, i]));
    return rows.map((row) => (title) => row[at[title]]);
  }

  function gather() {
    entries = [...document.querySelectorAll("section.page")].map((page) => {
      const title = page.querySelector("h1").textContent;
      const link = document.querySelector(`#contents a[href="#${page.id}"]`);
      const label = link ? link.textContent : "";
      const group = link && link.closest("details") ? link.closest("details").querySelector("summary").textContent.trim() : "";
      const about = page.querySelector("p") ? page.querySelector("p").textContent : "";
      return entry("Tables and figures", page.id, `<b>${escaped(group)} ${escaped(label)}</b> ${escaped(title)}`, `${group} ${label} ${title}`, about);
    });
    for (const get of rowsOf("numbers-table")) {
      const printed = kinds.number.text(get("Printed"));
      const ours = kinds.number.text(get("Ours"));
      const html = `<b>${escaped(get("Artefact")[0])}</b> ${escaped(get("Data set"))} · ${escaped(get("Method, metric"))} (${escaped(get("Reading"))}): `
        + `printed ${escaped(printed)}, ours ${escaped(ours || "–")} ${marked(get("Verdict"))}<span class="why">${escaped(get("Reason"))}</span>`;
      const about = `${get("Artefact")[0]} ${get("Data set")} ${get("Method, metric")} ${printed} ${get("Reading")} ${get("Id")}`;
      entries.push(entry("Numbers", get("Id"), html, about, `${get("Reason")} ${get("Verdict")}`));
    }
    for (const get of rowsOf("claims-table")) {
      const html = `<b>${escaped(get("Id"))}</b> ${escaped(get("Claim"))} ${marked(get("Verdict"))}<span class="why">${escaped(get("Evidence"))}</span>`;
      entries.push(entry("Claims", get("Id"), html, `${get("Id")} ${get("Claim")}`, `${get("Evidence")} ${get("Verdict")}`));
    }
    for (const [id, one] of Object.entries(shared.readings)) {
      entries.push(entry("Readings", slug("reading", id), `<b>${escaped(id)}</b> ${escaped(one.question)}`, `${id} ${one.question}`, one.evidence));
    }
  }

  function look() {
    const asked = plain(box.value).split(/\s+/).filter((one) => one);
    list.hidden = !asked.length;
    if (!asked.length) return;
    if (!entries) gather();
    const parts = [];
    for (const [kind, most] of Object.entries(MOST)) {
      const fitting = entries.filter((one) => one.kind === kind && asked.every((word) => one.all.includes(word)));
      const near = fitting.filter((one) => asked.every((word) => one.first.includes(word)));
      const shown = [...near, ...fitting.filter((one) => !near.includes(one))].slice(0, most);
      if (!shown.length) continue;
      parts.push(`<h2>${kind}: ${fitting.length}</h2>`);
      parts.push(...shown.map((one) => `<a href="#${encodeURIComponent(one.way)}">${one.html}</a>`));
      if (kind === "Numbers" && fitting.length > shown.length) {
        parts.push(`<a href="#numbers" data-search="${escaped(box.value)}">all ${fitting.length} numbers that fit</a>`);
      }
    }
    list.innerHTML = parts.join("") || "<h2>Nothing fits</h2>";
  }

  function move(step) {
    const links = [...list.querySelectorAll("a")];
    const at = links.findIndex((one) => one.classList.contains("here"));
    const next = links[(at + step + links.length) % links.length];
    if (at >= 0) links[at].classList.remove("here");
    if (next) {
      next.classList.add("here");
      next.scrollIntoView({ block: "nearest" });
    }
  }

  function close() {
    list.hidden = true;
  }

  box.addEventListener("input", look);
  box.addEventListener("focus", look);
  box.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Escape") close();
    else if (event.key === "Enter") (list.querySelector("a.here") || list.querySelector("a") || box).click();
    else return;
    if (event.key.startsWith("Arrow")) event.preventDefault();
  });
  list.addEventListener("click", (event) => { if (event.target.closest("a")) close(); });
  document.addEventListener("click", (event) => { if (!event.target.closest("#finder")) close(); });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.closest("input, select, textarea")) return;
    event.preventDefault();
    box.focus();
  });
})();
