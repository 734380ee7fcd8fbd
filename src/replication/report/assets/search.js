// One search over everything: tables and figures, numbers, claims, readings.
"use strict";
(() => {
  const box = document.getElementById("find");
  const list = document.getElementById("found");
  const MOST = { "Tables and figures": 8, Numbers: 25, Claims: 12, Readings: 12 };
  const WHOLE = { Numbers: "numbers", Claims: "claims" }; // pages that list all of a kind
  let entries = null;
  let words = null;

  function plain(text) {
    return text.toLowerCase().replace(/_/g, " ");
  }

  // `parts` are elements whose content is shown, `rest` is more text that can be asked for.
  function add(kind, way, parts, rest, why) {
    const first = plain(parts.map((one) => one.textContent).join(" "));
    entries.push({ kind, way, parts, why, first, all: `${first} ${plain(rest)}` });
  }

  // What an entry shows: its parts, without links and buttons, and the reason.
  function link({ way, parts, why }) {
    const made = make("a", { href: `#${way}` });
    parts.forEach((one, i) => {
      const head = one.dataset.head ? `${one.dataset.head} ` : "";
      made.append(`${i ? " · " : ""}${head}`, ...copied(one));
    });
    for (const one of made.querySelectorAll("a, button")) one.replaceWith(...one.childNodes);
    made.append(make("span", { class: "why" }, why ? why.textContent : ""));
    return made;
  }

  function gather() {
    entries = [];
    for (const page of document.querySelectorAll("section.page")) {
      const link = document.querySelector(`#contents a[href="#${page.id}"]`);
      const group = link.closest("details")?.querySelector("summary a");
      const said = [page.querySelector("p"), ...page.querySelectorAll("h2, h3, th")].map((one) => one?.textContent).join(" ");
      add("Tables and figures", page.id, [group === link ? null : group, link, page.querySelector("h1")].filter((one) => one), said);
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

  // Number of letters to insert, delete or replace, counted up to 3.
  function apart(a, b) {
    if (Math.abs(a.length - b.length) > 2) return 3;
    let row = [...Array(b.length + 1).keys()];
    for (let i = 1; i <= a.length; i += 1) {
      const next = [i];
      for (let j = 1; j <= b.length; j += 1) next[j] = Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (a[i - 1] !== b[j - 1]));
      row = next;
    }
    return row[b.length];
  }

  // The word itself if the report has it, else the word that differs by a letter, or by two of many.
  function known(word) {
    if (word.length < 4 || entries.some((one) => one.all.includes(word))) return word;
    words ??= [...new Set(entries.flatMap((one) => one.first.match(/[a-z][a-z-]{3,}/g) || []))];
    const near = words.map((one) => [apart(word, one), one]).sort(([a], [b]) => a - b)[0];
    return near && near[0] <= (word.length < 7 ? 1 : 2) ? near[1] : word;
  }

  function look() {
    const typed = plain(box.value).split(/[\s"<>&]+/).filter((one) => one);
    list.hidden = !typed.length;
    list.replaceChildren();
    if (!typed.length) return;
    if (!entries) gather();
    const asked = typed.map(known);
    const parts = asked.join(" ") === typed.join(" ") ? [] : [make("h2", {}, `Results for: ${asked.join(" ")}`)];
    for (const [kind, most] of Object.entries(MOST)) {
      const fitting = entries.filter((one) => one.kind === kind && asked.every((word) => one.all.includes(word)));
      const near = new Set(fitting.filter((one) => asked.every((word) => one.first.includes(word))));
      const shown = [...new Set([...near, ...fitting])].slice(0, most);
      if (!shown.length) continue;
      parts.push(make("h2", {}, `${kind}: ${fitting.length}`), ...shown.map(link));
      if (WHOLE[kind] && fitting.length > most) parts.push(make("a", { href: `#${WHOLE[kind]}`, "data-search": asked.join(" ") }, `all ${fitting.length} ${WHOLE[kind]} found`));
    }
    list.replaceChildren(...(parts.some((one) => one.matches("a")) ? parts : [make("h2", {}, "No results")]));
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
