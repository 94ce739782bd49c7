"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const SHADES = 9;

  // Numbers as the rest of karat writes them.
  const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u00a0");
  const amount = (x) => (Number.isInteger(x) ? grouped(x) : Number(x.toPrecision(4)).toString());
  const percent = (part, whole) => {
    if (!whole) return "–";
    const share = part / whole;
    if (share > 0 && share < 0.0005) return "<0.1";
    if (share >= 0.9995 && share < 1) return ">99.9";
    return (100 * share).toFixed(1);
  };
  const value = (x) => {
    if (!Number.isFinite(x)) return "–";
    const text = x.toFixed(4), size = Math.abs(x);
    if (Number(text) === x) return text;
    if (Math.abs(Number(text)) === 1 && Math.abs(1 - size) < 5e-5) {
      return x.toFixed(Math.min(16, Math.ceil(-Math.log10(Math.abs(1 - size)) - 1e-6)));
    }
    return size >= 0.001 ? text : x.toExponential(1);
  };
  const shade = (part, whole, kind, top = 1) => {
    if (!part || !whole) return "";
    return kind + Math.min(SHADES, Math.max(1, Math.ceil(SHADES * Math.sqrt(part / whole / top))));
  };

  const made = (tag, text, kind) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  };
  const named = (text) => {
    const element = made("bdi", text, "name");
    element.title = text;
    return element;
  };

  // Light and dark.
  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);
  const theme = $("theme");
  const tellTheme = () => { theme.textContent = isDark() ? "Light colors" : "Dark colors"; };
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    tellTheme();
  });
  prefersDark.addEventListener("change", tellTheme);
  theme.hidden = false;
  tellTheme();

  // Tables that are sorted by a column.
  const key = (row, place) => {
    const cell = row.cells[place];
    return cell.dataset.v !== undefined ? cell.dataset.v : cell.textContent.trim();
  };
  const sortable = (table) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, place) => {
      const kind = head.dataset.sort;
      if (!kind) return;
      const button = made("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.replaceChildren(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const before = head.getAttribute("aria-sort");
        const first = kind === "number" ? "descending" : "ascending";
        const turned = before === "ascending" ? "descending" : "ascending";
        const way = before === "none" ? first : turned;
        heads.forEach((other) => other.dataset.sort && other.setAttribute("aria-sort", "none"));
        head.setAttribute("aria-sort", way);
        const sign = way === "ascending" ? 1 : -1;
        const body = table.tBodies[0];
        const number = (text) => (text === "" ? NaN : Number(text.replace(/[\s\u00a0%*~<>]/g, "").replace("\u2212", "-")));
        const rows = [...body.rows].map((row) => [key(row, place), row]);
        rows.sort(([a], [b]) => {
          if (kind === "text" && (isNaN(Number(a)) || isNaN(Number(b)))) {
            return sign * a.localeCompare(b, undefined, { numeric: true });
          }
          const x = number(a), y = number(b);
          // Rows without a value come last in both directions.
          if (isNaN(x) || isNaN(y)) return isNaN(x) - isNaN(y);
          return sign * (x - y);
        });
        body.append(...rows.map(([, row]) => row));
      });
    });
  };
  document.querySelectorAll("table.sortable").forEach(sortable);

  // Long tables are searched by the name of the row.
  const searchable = (table) => {
    const rows = [...table.tBodies[0].rows], holder = table.parentElement;
    if (rows.length <= 20) return;
    const label = made("label"), field = made("input"), found = made("output");
    label.className = "search";
    field.type = "search";
    label.append("Search ", field, found);
    holder.before(label);
    holder.classList.add("long");
    field.addEventListener("input", () => {
      const wanted = field.value.trim().toLowerCase();
      let n = 0;
      rows.forEach((row) => {
        row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted);
        n += !row.hidden;
      });
      found.textContent = wanted ? `${amount(n)} of ${amount(rows.length)}` : "";
    });
  };
  document.querySelectorAll("table.sortable").forEach(searchable);
  // On a phone, a table that is wider than the page lists the cells of each row under their headings.
  const phone = matchMedia("(max-width: 40rem)");
  const asCards = () => document.querySelectorAll(".scroll > table:not(.matrix)").forEach((table) => {
    const holder = table.parentElement;
    if (!phone.matches) table.classList.remove("cards");
    if (!phone.matches || holder.scrollWidth <= holder.clientWidth + 1) return;
    const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent.trim());
    table.querySelectorAll("tbody tr, tfoot tr").forEach((row) => [...row.cells].forEach((cell, place) => {
      if (place) cell.dataset.label = heads[place];
    }));
    table.classList.add("cards");
  });
  phone.addEventListener("change", asCards);
  document.addEventListener("toggle", asCards, true);

  // Show a shortened name in full as its title.
  document.querySelectorAll("bdi.name").forEach((name) => { name.title = name.textContent; });
  // Their numbers stand beside them.
  document.querySelectorAll(".bar").forEach((bar) => bar.setAttribute("aria-hidden", "true"));
  asCards();

  // What lists the rows of a cell, on pages that have some.
  const listCell = data.rows ? listedRows(data.rows, data.matrix, { $, made, named, amount, value }) : null;

  // The confusion matrix.
  const confusion = (matrix) => {
    const { names, cells, unit } = matrix;
    const m = names.length, table = $("matrix"), words = $("words");
    const isDense = table.classList.contains("dense");
    const at = (i, j) => cells[i * m + j];
    const every = [...names.keys()];
    const rowTotals = every.map((i) => every.reduce((sum, j) => sum + at(i, j), 0));
    const columnTotals = every.map((j) => every.reduce((sum, i) => sum + at(i, j), 0));
    const wrong = (i) => (rowTotals[i] ? 1 - at(i, i) / rowTotals[i] : -1);
    // Where other classes share a row, some of their rows are taken for others of them.
    const isRight = (i, j) => i === j && !(matrix.cut && i === m - 1);
    const movable = matrix.cut ? every.slice(0, -1) : every;
    const ordered = (compare) => [...movable].sort(compare).concat(every.slice(movable.length));
    const orders = {
      given: () => every,
      name: () => ordered((a, b) => names[a].localeCompare(names[b], undefined, { numeric: true }) || a - b),
      error: () => ordered((a, b) => wrong(b) - wrong(a) || a - b),
      clustered: () => matrix.clustered,
    };
    let order = every, show = "count", active = [0, 0];
    if (m > 6) table.classList.add("many");
    if (isDense || (m > 6 && names.some((name) => name.length > 4))) table.classList.add("tall");

    const text = (i, j) => {
      const part = at(i, j);
      if (!part) return "·";
      if (show === "count") return amount(part);
      return percent(part, show === "row" ? rowTotals[i] : columnTotals[j]);
    };
    const told = (i, j) => {
      const verb = isRight(i, j) ? "correctly predicted as" : "predicted as";
      return `${amount(at(i, j))} of ${amount(rowTotals[i])} ${unit} truly \u2068${names[i]}\u2069 ` +
        `${verb} \u2068${names[j]}\u2069: ${percent(at(i, j), rowTotals[i])} % of true \u2068${names[i]}\u2069, ` +
        `${percent(at(i, j), columnTotals[j])} % of the ${amount(columnTotals[j])} predicted \u2068${names[j]}\u2069.` +
        (listCell && at(i, j) ? " Click the cell, or press Enter, to list its rows." : "");
    };
    const cellAt = (a, b) => table.tBodies[0].rows[a].cells[b + 1];
    const say = (a, b) => {
      words.textContent = told(order[a], order[b]);
      table.querySelectorAll(".pointed").forEach((head) => head.classList.remove("pointed"));
      table.tHead.rows[0].cells[b + 1].classList.add("pointed");
      table.tBodies[0].rows[a].cells[0].classList.add("pointed");
    };
    const wholeOf = (i, j) => (show === "column" ? columnTotals[j] : rowTotals[i]);
    const draw = () => {
      // The strongest wrong cell holds a tenth of its class, or the largest proportion if that is more.
      let top = 0.1;
      for (const i of every) {
        for (const j of every) if (i !== j && wholeOf(i, j)) top = Math.max(top, at(i, j) / wholeOf(i, j));
      }
      const head = made("tr"), corner = made("th", "true\u00a0↓ predicted\u00a0→", "corner");
      corner.scope = "col";
      head.append(corner);
      for (const j of order) {
        const cell = made("th");
        cell.scope = "col";
        cell.append(named(names[j]));
        head.append(cell);
      }
      const total = made("th", isDense ? "" : unit, "total");
      total.scope = "col";
      if (!isDense) head.append(total);
      const body = document.createDocumentFragment();
      order.forEach((i, a) => {
        const row = made("tr"), name = made("th");
        name.scope = "row";
        name.append(named(names[i]));
        row.append(name);
        order.forEach((j, b) => {
          const whole = wholeOf(i, j);
          let kind = i === j ? "" : shade(at(i, j), whole, "w", top);
          if (isRight(i, j)) kind = shade(at(i, j), whole, "r") + " diagonal";
          const cell = made("td", text(i, j), kind.trim());
          cell.tabIndex = a === active[0] && b === active[1] ? 0 : -1;
          row.append(cell);
        });
        if (!isDense) row.append(made("td", amount(rowTotals[i]), "total"));
        body.append(row);
      });
      (table.tHead || table.createTHead()).replaceChildren(head);
      (table.tBodies[0] || table.createTBody()).replaceChildren(body);
    };
    const placeOf = (target) => {
      const cell = target.closest("td");
      if (!cell || cell.classList.contains("total")) return null;
      return [cell.parentElement.sectionRowIndex, cell.cellIndex - 1];
    };
    table.addEventListener("mouseover", (event) => {
      const place = placeOf(event.target);
      if (place) say(...place);
    });
    table.addEventListener("focusin", (event) => {
      const place = placeOf(event.target);
      if (!place) return;
      cellAt(...active).tabIndex = -1;
      active = place;
      cellAt(...active).tabIndex = 0;
      say(...place);
    });
    const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const list = (place) => {
      const [i, j] = place.map((x) => order[x]);
      if (listCell && at(i, j)) listCell(i, j, at(i, j), names);
    };
    table.addEventListener("click", (event) => {
      const place = placeOf(event.target);
      if (place) list(place);
    });
    if (listCell) table.classList.add("lists");
    table.addEventListener("keydown", (event) => {
      if (listCell && placeOf(event.target) && (event.key === "Enter" || event.key === " ")) {
        event.preventDefault();
        list(placeOf(event.target));
      }
      const step = STEPS[event.key];
      if (!step || !placeOf(event.target)) return;
      event.preventDefault();
      const within = (x) => Math.min(m - 1, Math.max(0, x));
      cellAt(within(active[0] + step[0]), within(active[1] + step[1])).focus();
    });
    document.querySelectorAll("input[name=show]").forEach((input) => {
      input.addEventListener("change", () => { show = input.value; draw(); });
    });
    $("order").addEventListener("change", (event) => { order = orders[event.target.value](); draw(); });
    $("matrix-controls").hidden = false;
    words.hidden = false;
    draw();
  };
  if (data.matrix) confusion(data.matrix);

  // Formulas: traced graphs, on the four counts of a class against the rest.
  const EACH = {
    add: (a, b) => a + b,
    sub: (a, b) => a - b,
    mul: (a, b) => a * b,
    div: (a, b) => a / b,
    sqrt: (a) => Math.sqrt(a),
    greater: (a, b) => (a > b ? 1 : 0),
    where: (test, then, otherwise) => (test > 0 ? then : otherwise),
  };
  const evaluated = (node, fields) => {
    if (typeof node === "number") return node;
    if (typeof node === "string") return fields[node];
    const [operation, ...parts] = node;
    const args = parts.map((part) => evaluated(part, fields));
    if (operation === "at") return args[0][1];
    if (operation === "total") return args[0][0] + args[0][1];
    const apply = EACH[operation];
    if (!args.some(Array.isArray)) return apply(...args);
    return [0, 1].map((i) => apply(...args.map((arg) => (Array.isArray(arg) ? arg[i] : arg))));
  };
  const fieldsOf = (tp, fp, fn, tn) => ({
    tp: [tn, tp], fp: [fn, fp], fn: [fp, fn], tn: [tp, tn], n: tp + fp + fn + tn, k: 2,
  });

  // The threshold.
  const unpacked = (text) => {
    const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    return Array.from({ length: bytes.length / 8 }, (_, i) => view.getFloat64(8 * i, true));
  };
  const counts = (packed) => {
    if (typeof packed === "string") return unpacked(packed);
    let sum = 0;
    return packed.map((step) => (sum += step));
  };
  //= curves.js

  const decide = (decisions) => {
    const slide = $("slide"), which = $("which");
    const current = () => (which ? Number(which.value) : 0);
    const fill = (id, part, whole, kind) => {
      const cell = $(id);
      cell.textContent = amount(part);
      cell.dataset.value = part;
      cell.className = `${shade(part, whole, kind)}${kind === "r" ? " diagonal" : ""}`.trim();
    };
    const move = () => {
      const c = current(), points = opened(c), at = Number(slide.value);
      points.at = at;
      const last = points.tp.length - 1;
      const tp = points.tp[at], fp = points.fp[at];
      const fn = points.tp[last] - tp, tn = points.fp[last] - fp;
      const threshold = points.thresholds[at];
      const told = near(points.thresholds, at);
      $("at").textContent = told;
      $("at").dataset.value = threshold;
      fill("tn", tn, tn + fp, "r");
      fill("fp", fp, tn + fp, "w");
      fill("fn", fn, tp + fn, "w");
      fill("tp", tp, tp + fn, "r");
      const fields = fieldsOf(tp, fp, fn, tn);
      document.querySelectorAll("#moved [data-metric]").forEach((cell) => {
        const metric = decisions.metrics[Number(cell.dataset.metric)];
        const raw = evaluated(metric.formula, fields);
        const isDefined = Number.isFinite(raw);
        const shown = isDefined ? raw : metric.otherwise;
        cell.textContent = (shown === null ? "–" : value(shown)) + (isDefined ? "" : "*");
        cell.dataset.value = shown === null ? "" : shown;
        cell.title = isDefined ? "" : `undefined: ${metric.undefined}`;
      });
      mark("roc", c, [fp / (fp + tn), tp / (tp + fn)]);
      mark("precision_recall", c, [tp / (tp + fn), tp / (tp + fp)]);
      mark("gain", c, [(tp + fp) / (tp + fp + fn + tn), tp / (tp + fn)]);
      mark("metrics-by-threshold", c, [threshold, null]);
      slide.setAttribute("aria-valuetext",
        `${decisions.unit} ${told}: ${amount(tp)} of ${amount(tp + fn)} ${decisions.rows} found, ${amount(fp)} false alarms`);
    };
    const choose = () => {
      const c = current(), points = opened(c), name = decisions.classes[c].name;
      slide.max = points.thresholds.length - 1;
      slide.value = points.at;
      document.querySelectorAll(".is-class").forEach((cell) => cell.replaceChildren(named(name)));
      const rest = decisions.rest === null ? made("span", "all others") : null;
      document.querySelectorAll(".is-rest").forEach((cell) =>
        cell.replaceChildren(rest ? rest.cloneNode(true) : named(decisions.rest)));
      move();
    };
    slide.addEventListener("input", move);
    $("wanted").addEventListener("input", () => {
      const { tp } = opened(current()), wanted = $("wanted").valueAsNumber;
      // Counts are exact: 0.8 of 200 rows is 160, whatever the rounding of a quotient.
      const at = tp.findIndex((found) => found / tp[tp.length - 1] >= wanted - 1e-12);
      $("reached").textContent = at < 0 && wanted === wanted ? "not reached" : "";
      if (at < 0) return;
      slide.value = at;
      move();
    });
    if (which) which.addEventListener("change", choose);
    $("decide").hidden = false;
    choose();
  };
  if (data.decisions) decide(data.decisions);
})();
