  // A threshold in digits that distinguish it from its neighbors, rounded down: as a setting it predicts the same rows.
  const near = (thresholds, at) => {
    const x = thresholds[at];
    if (!Number.isFinite(x)) return x > 0 ? "∞" : "-∞";
    const next = at + 1 < thresholds.length ? thresholds[at + 1] : -Infinity;
    let digits = 6, shown = Number(x.toPrecision(6));
    while (digits < 17 && (shown > x || shown <= next)) shown = Number(x.toPrecision(++digits));
    return String(shown);
  };
  const source = data.decisions || data.curves;
  const known = source ? source.classes.map(() => null) : [];
  const opened = (c) => {
    const one = source.classes[c];
    known[c] = known[c] || {
      thresholds: unpacked(one.thresholds), tp: counts(one.tp), fp: counts(one.fp), at: one.start,
    };
    return known[c];
  };
  // Where a point of a curve lies on its drawing; on logarithmic axes with a lower limit, nothing is lower.
  const SVG = "http://www.w3.org/2000/svg";
  const placed = (svg, [x, y]) => {
    const [x0, y0, x1, y1, low] = svg.dataset.axes.split(" ").map(Number);
    const along = (z) => (low ? Math.max(0, 1 - Math.log(z) / Math.log(low)) : z);
    return [x0 + along(x) * (x1 - x0), y === null ? null : y0 + along(y) * (y1 - y0), y0, y1];
  };
  const plots = new Map([...document.querySelectorAll(".plot[data-which]")].map((plot) => [
    plot.parentElement.id,
    { plot, which: plot.dataset.which.split(" ").map(Number), svgs: [...plot.querySelectorAll("svg[data-axes]")] },
  ]));
  // The drawing that shows a class; one alone shows all.
  const drawingOf = ({ svgs, which }, c) => (svgs.length > 1 ? svgs[which.indexOf(c)] : svgs[0]);
  // A circle at a point, or a line across.
  const put = (svg, kind, point, radius) => {
    const [at, up, y0, y1] = placed(svg, point);
    const shape = svg.querySelector(`.${kind}`) || svg.appendChild(document.createElementNS(SVG, up === null ? "line" : "circle"));
    shape.setAttribute("class", kind);
    const isThere = Number.isFinite(at) && (up === null || Number.isFinite(up));
    shape.toggleAttribute("hidden", !isThere);
    const place = up === null ? { x1: at, x2: at, y1: y0, y2: y1 } : { cx: at, cy: up, r: radius };
    if (isThere) Object.entries(place).forEach((pair) => shape.setAttribute(...pair));
    return [at, up === null ? (y0 + y1) / 2 : up];
  };
  // Where the threshold is: on the curve of its class.
  const mark = (figure, c, point) => {
    const found = plots.get(figure);
    if (!found) return;
    // No mark where the class is not drawn.
    const svg = found.which.includes(c) ? drawingOf(found, c) : undefined;
    found.svgs.forEach((other) => other !== svg && other.querySelectorAll(".now").forEach((shape) => shape.remove()));
    if (svg) put(svg, "now", point, svg.viewBox.baseVal.width > 200 ? 5 : 4);
  };

  // The values at a point of a curve.
  const CURVES = {
    roc: ({ tp, fp, pos, neg }) => [["false positive rate", fp / neg], ["true positive rate", tp / pos]],
    precision_recall: ({ tp, fp, pos }) => [["recall", tp / pos], ["precision", tp / (tp + fp)]],
    gain: ({ tp, fp, pos, neg }) => [["proportion of rows", (tp + fp) / (pos + neg)], ["proportion of the class found", tp / pos]],
  };
  const wave = data.curves && data.curves.approximate ? "≈ " : "";
  const pointsOf = (figure, c) => {
    const { thresholds, tp, fp } = opened(c), last = tp.length - 1;
    return thresholds.map((threshold, i) => {
      const values = CURVES[figure]({ tp: tp[i], fp: fp[i], pos: tp[last], neg: fp[last] });
      return {
        c, name: source.classes[c].name, at: [values[0][1], values[1][1]],
        told: [["threshold", near(thresholds, i)], ...values.map(([name, x]) => [name, wave + value(x)])],
      };
    });
  };
  const pointsByThreshold = (c) => {
    const { thresholds, tp, fp } = opened(c), last = tp.length - 1;
    const shown = (data.decisions ? data.decisions.metrics : []).filter(({ name }) => ["precision", "recall", "f1"].includes(name));
    return thresholds.map((threshold, i) => {
      const fields = fieldsOf(tp[i], fp[i], tp[last] - tp[i], fp[last] - fp[i]);
      return {
        c, name: source.classes[c].name, at: [threshold, null],
        told: [["threshold", near(thresholds, i)], ...shown.map(({ name, formula }) => [name, value(evaluated(formula, fields))])],
      };
    });
  };
  // The bins of a reliability diagram stand in its table.
  const number = (text) => Number(text.replace(/[\s\u00a0]/g, "").replace("\u2212", "-"));
  const bins = (figure, which) => {
    const table = document.querySelector(`#${figure} table`);
    if (!table) return [];
    const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
    let c = -1, before = null;
    return [...table.tBodies[0].rows].map((row) => {
      const texts = [...row.cells].map((cell) => cell.textContent.trim());
      if (texts[0] !== before) c += 1;
      before = texts[0];
      const told = texts.map((text, i) => [heads[i], text]);
      return { c: which[c], name: texts[0], at: [number(texts[4]), number(texts[5])], told: told.slice(1) };
    });
  };
  const readable = (figure, { plot, which, svgs }) => {
    let points = null;
    const all = () => {
      if (points) return points;
      const found = figure === "reliability" ? bins(figure, which)
        : which.flatMap((c) => (figure === "metrics-by-threshold" ? pointsByThreshold(c) : pointsOf(figure, c)));
      points = found.map((point) => ({ ...point, svg: drawingOf({ svgs, which }, point.c) }))
        .map((point) => ({ ...point, spot: placed(point.svg, point.at) }))
        .filter(({ spot: [x, y] }) => Number.isFinite(x) && (y === null || Number.isFinite(y)));
      return points;
    };
    let current = -1;
    const tip = made("div", undefined, "tip");
    tip.setAttribute("role", "status");
    tip.hidden = true;
    plot.append(tip);
    const hide = () => {
      tip.hidden = true;
      plot.querySelectorAll(".at").forEach((shape) => shape.remove());
    };
    const show = (i, byKeys) => {
      const point = all()[i];
      if (!point) return;
      if (current !== i || tip.hidden) {
        current = i;
        svgs.forEach((svg) => svg !== point.svg && svg.querySelectorAll(".at").forEach((shape) => shape.remove()));
        tip.setAttribute("aria-live", byKeys ? "polite" : "off");
        const list = made("dl");
        point.told.forEach(([name, text]) => list.append(made("dt", name), made("dd", text)));
        tip.replaceChildren(named(point.name), list);
      }
      tip.hidden = false;
      const [x, y] = put(point.svg, "at", point.at, 3.5);
      const box = point.svg.getBoundingClientRect(), around = plot.getBoundingClientRect();
      const scale = box.width / point.svg.viewBox.baseVal.width;
      const left = box.left - around.left + x * scale, top = box.top - around.top + Math.max(0, y) * scale;
      const room = around.width - tip.offsetWidth;
      const beside = left + 14 <= room ? left + 14 : left - 14 - tip.offsetWidth;
      tip.style.left = `${Math.min(Math.max(0, beside), Math.max(0, room))}px`;
      tip.style.top = `${beside < 0 ? top + 16 : Math.max(0, top - tip.offsetHeight / 2)}px`;
    };
    const nearest = (event) => {
      const svg = event.target.closest("svg[data-axes]");
      if (!svg) return -1;
      const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
      const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
      let best = -1, least = Infinity;
      all().forEach(({ svg: own, spot: [px, py] }, i) => {
        if (own !== svg) return;
        const far = py === null ? Math.abs(px - x) : Math.hypot(px - x, py - y);
        if (far < least) [best, least] = [i, far];
      });
      return best;
    };
    ["pointermove", "pointerdown"].forEach((kind) => plot.addEventListener(kind, (event) => show(nearest(event), false)));
    plot.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") hide(); });
    plot.addEventListener("blur", hide);
    const first = () => Math.max(0, all().findIndex(({ c }) => c === which[0]));
    plot.addEventListener("focus", () => {
      if (!plot.matches(":focus-visible")) return;
      const own = all().filter(({ c }) => c === which[0]).length;
      show(current < 0 ? first() + Math.floor(own / 2) : current, true);
    });
    const ofClass = (step) => {
      const { c, at: [x] } = all()[current];
      const to = which[(which.indexOf(c) + step + which.length) % which.length];
      let best = current, least = Infinity;
      all().forEach((point, i) => {
        if (point.c === to && Math.abs(point.at[0] - x) < least) [best, least] = [i, Math.abs(point.at[0] - x)];
      });
      return best;
    };
    plot.addEventListener("keydown", (event) => {
      const own = all().map(({ c }, i) => [c, i]).filter(([c]) => current >= 0 && c === all()[current].c).map(([, i]) => i);
      const place = own.indexOf(current), last = own.length - 1;
      const to = {
        ArrowRight: () => own[Math.min(last, place + 1)], ArrowLeft: () => own[Math.max(0, place - 1)],
        Home: () => own[0], End: () => own[last],
        ArrowDown: () => ofClass(1), ArrowUp: () => ofClass(-1),
      }[event.key];
      if (event.key === "Escape") hide();
      if (!to || !own.length) return;
      event.preventDefault();
      show(to(), true);
    });
    plot.tabIndex = 0;
    plot.setAttribute("role", "application");
    plot.setAttribute("aria-roledescription", "chart");
    plot.setAttribute("aria-label", `${plot.getAttribute("aria-label")} Arrow keys move along the curve${which.length > 1 ? " and between classes" : ""}.`);
  };
  plots.forEach((found, figure) => {
    const isKnown = figure === "reliability" || (source && (CURVES[figure] || figure === "metrics-by-threshold"));
    if (isKnown && found.svgs.length) readable(figure, found);
  });
