// The leaderboard: ranks of what is chosen, among what is chosen, with the critical difference.
"use strict";

class Board extends Listing {
  read() {
    Object.assign(this, JSON.parse(this.host.querySelector("script").textContent));
    this.wanted = { data: "all", algorithm: "", origin: "", score: 0 };
    this.compute();
  }

  build() {
    super.build();
    const { board, host } = this;
    const tools = host.querySelector(".tools");
    const status = tools.querySelector("[role=status]");
    const option = (value, text) => `<option value="${escaped(value)}">${escaped(text)}</option>`;
    const group = (label, options) => (options.length ? `<optgroup label="${label}">${options.join("")}</optgroup>` : "");
    const kindsOf = board.kinds.map(([name, sets], i) => option(`kind ${i}`, `${name} (${sets.length})`));
    const single = board.datasets.map(([, name], i) => option(`set ${i}`, name));
    const menus = {
      data: ["Data", option("all", `all (${board.datasets.length})`) + group("kind of data", kindsOf) + group("one data set", single)],
      algorithm: ["Algorithm", option("", "all") + board.algorithms.map((one) => option(...one)).join("") + option("own", "of the method itself")],
      origin: ["Origin", option("", "all") + board.origins.map((one) => option(one, one)).join("")],
      score: ["Score", board.scores.map(([, name], i) => option(i, name)).join("")],
    };
    for (const [key, [title, options]] of Object.entries(menus)) {
      const label = document.createElement("label");
      label.innerHTML = `${title} <select data-board="${key}">${options}</select>`;
      label.firstElementChild.addEventListener("change", (event) => {
        this.wanted[key] = event.target.value;
        this.compute();
        this.index();
        this.fresh();
      });
      tools.insertBefore(label, status);
    }
    const save = document.createElement("button");
    save.type = "button";
    save.className = "save";
    save.textContent = "Download as CSV";
    save.addEventListener("click", () => this.save());
    tools.insertBefore(save, status);
    this.said = document.createElement("p");
    this.said.className = "said";
    this.said.setAttribute("aria-live", "polite");
    tools.after(this.said);
  }

  // Positions of the chosen data sets.
  sets() {
    const [kind, at] = this.wanted.data.split(" ");
    if (kind === "kind") return this.board.kinds[at][1];
    if (kind === "set") return [Number(at)];
    return this.board.datasets.map((_, i) => i);
  }

  fits(method) {
    const { algorithm, origin } = this.wanted;
    if (origin && method.origin !== origin) return false;
    if (algorithm === "own") return !method.algorithm;
    return !algorithm || method.algorithm === algorithm;
  }

  // Score of a method on a data set; undefined if there is none.
  score(method, i) {
    const cell = method.cells[i];
    return cell && cell.length > 1 ? cell[this.wanted.score] : undefined;
  }

  // Ranks, 1 the best; ties to ten digits share theirs.
  static ranks(scores) {
    return scores.map((one) => {
      let above = 0;
      let level = 0;
      for (const other of scores) {
        if (Math.abs(other - one) < 5e-11) level += 1;
        else if (other > one) above += 1;
      }
      return above + (level + 1) / 2;
    });
  }

  compute() {
    const { board } = this;
    const sets = this.sets();
    const has = (method, i) => this.score(method, i) !== undefined;
    const methods = board.methods.filter((one) => this.fits(one));
    // What is handed in does not decide on which data sets the others are compared.
    const ours = methods.filter((one) => !one.handed);
    const wide = (ours.length ? ours : methods).filter((one) => sets.length && sets.filter((i) => has(one, i)).length >= 0.75 * sets.length);
    const common = wide.length ? sets.filter((i) => wide.every((one) => has(one, i))) : [];
    const ranked = methods.filter((one) => wide.includes(one) || (one.handed && common.length && common.every((i) => has(one, i))));
    const sums = new Map(ranked.map((one) => [one, 0]));
    for (const i of common) {
      Board.ranks(ranked.map((one) => this.score(one, i))).forEach((rank, k) => sums.set(ranked[k], sums.get(ranked[k]) + rank));
    }
    const [k, n] = [ranked.length, common.length];
    const places = new Map(n ? ranked.map((one) => [one, sums.get(one) / n]) : []);
    const best = Math.min(...places.values());
    const tested = k > 2 && n > 2;
    const difference = tested ? board.q[k] * Math.sqrt((k * (k + 1)) / (6 * n)) : null;
    const level = tested ? [...places].filter(([, rank]) => rank - best < difference).length - 1 : 0;
    const ordered = [...methods].sort((a, b) => (places.get(a) ?? Number.MAX_VALUE) - (places.get(b) ?? Number.MAX_VALUE));
    this.shown = sets;
    this.result = { k, n, difference, level };
    const text = (value, digits) => (value === null ? null : [value.toFixed(digits), value]);
    const line = (method) => {
      const rank = places.get(method) ?? null;
      const own = sets.filter((i) => has(method, i));
      const over = rank !== null || (method.base && n) ? common.filter((i) => has(method, i)) : own;
      const mean = over.length ? over.reduce((sum, i) => sum + this.score(method, i), 0) / over.length : null;
      const beside = rank === null ? "not ranked" : !tested ? "" : rank === best ? "best" : rank - best < difference ? "like the best" : "behind";
      return [
        method.base ? `${method.label} (base rate)` : method.label,
        (board.algorithms.find(([id]) => id === method.algorithm) || ["", ""])[1],
        method.base ? null : text(rank, 2),
        text(mean, 3),
        [`${over.length} of ${sets.length}`, own.length],
        method.origin,
        method.base ? "" : beside,
        method,
      ];
    };
    this.rows = [...ordered, ...board.base].map(line);
  }

  draw() {
    super.draw();
    if (!this.said) return;
    const { k, n, difference, level } = this.result;
    const name = this.board.scores[this.wanted.score][1];
    const many = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
    this.said.textContent = !k
      ? "No method has these data."
      : `${many(k, "method")} ranked by ${name} over ${many(n, "data set")}. ${difference === null
        ? "Too few for a critical difference."
        : `Critical difference of mean ranks: ${difference.toFixed(2)}; ${many(level, "method")} cannot be told from the best.`}`;
  }

  line(i) {
    const beside = this.rows[i][6];
    const look = this.rows[i][7].base ? "base" : beside === "best" || beside === "like the best" ? "level" : "";
    const handed = this.rows[i][7].handed ? " handed" : "";
    return super.line(i).replace("<tr ", `<tr data-look="${look}${handed}" `);
  }

  detail(i) {
    const { board } = this;
    const method = this.rows[i][7];
    const parts = [];
    const add = (title, html) => { if (html) parts.push(`<dt>${title}</dt><dd>${html}</dd>`); };
    add("Id", `<code>${escaped(method.id)}</code>`);
    add("What was handed in", escaped(method.handed));
    const nobody = method.unknown ? "not known: the labels were handed in" : "";
    add("Learning, seconds", method.cost[0] === null ? nobody : method.cost[0].toPrecision(3));
    add("Memory, MiB", method.cost[1] === null ? nobody : method.cost[1].toFixed(0));
    const kept = board.labels.kept[method.experiment] || [];
    const line = (at) => {
      const cell = method.cells[at];
      const score = this.score(method, at);
      const [id, name] = board.datasets[at];
      if (score === undefined) {
        return `<tr><th scope="row">${escaped(name)}</th><td colspan="3">${escaped(cell ? `left out: ${board.rules[cell[0]] || cell[0]}` : "not run")}</td><td></td></tr>`;
      }
      const others = board.methods.filter((one) => this.fits(one)).map((one) => this.score(one, at)).filter((one) => one !== undefined);
      const above = others.filter((one) => one - score > 5e-11).length;
      const runs = cell[board.scores.length];
      const way = board.labels.address.replace("{experiment}", method.experiment).replace("{dataset}", id);
      const labels = kept.includes(at) ? `<a href="${escaped(way)}" download>labels</a>` : "";
      return `<tr><th scope="row">${escaped(name)}</th><td>${score.toFixed(3)}</td><td>${method.base ? "" : `${above + 1} of ${others.length}`}</td><td>${runs}</td><td>${labels}</td></tr>`;
    };
    const name = escaped(board.scores[this.wanted.score][1]);
    add("Data sets", `<table class="cells"><thead><tr><th scope="col">Data set</th><th scope="col">${name}</th><th scope="col">place</th><th scope="col">vectors</th><th scope="col"></th></tr></thead><tbody>${this.shown.map(line).join("")}</tbody></table>`);
    add("Label vectors", kept.length ? "Parquet, one row per clustering, in the order of the coded table" : "not on this machine; <code>snakemake study</code> keeps them");
    return `<tr class="detail"><td colspan="${this.columns.length}"><dl>${parts.join("")}</dl></td></tr>`;
  }

  // What is chosen, all data sets beside each other.
  table() {
    const { board } = this;
    const quoted = (cell) => (/[",\n]/.test(cell) ? `"${cell.replace(/"/g, '""')}"` : cell);
    const heads = ["id", "method", "algorithm", "origin", "handed_in", "mean_rank", "mean_score", "learning_seconds", "memory_mib"];
    const lines = [[...heads, ...this.shown.map((i) => board.datasets[i][0])]];
    for (const row of this.rows) {
      const method = row[7];
      const number = (cell) => (cell ? String(cell[1]) : "");
      lines.push([
        method.id, row[0], row[1], method.origin, method.handed, number(row[2]), number(row[3]),
        ...method.cost.map((one) => (one === null ? (method.unknown ? "not known" : "") : String(one))),
        ...this.shown.map((i) => String(this.score(method, i) ?? "")),
      ]);
    }
    return `${lines.map((line) => line.map(quoted).join(",")).join("\n")}\n`;
  }

  save() {
    const way = document.createElement("a");
    way.href = URL.createObjectURL(new Blob([this.table()], { type: "text/csv" }));
    way.download = "leaderboard.csv";
    way.click();
    setTimeout(() => URL.revokeObjectURL(way.href), 1000);
  }
}
