"use strict";
// The rows behind a number: a dialog that lists those of a cell, a bin or a slice.
const listedRows = (rows, matrix, { $, made, named, amount, value }) => {
  const classes = rows.names || matrix.names;
  const place = (c) => (rows.place ? rows.place[c] : c);
  const dialog = $("rows");
  const show = (n, of, is) => {
    const found = [...rows.ids.keys()].filter(is).slice(0, rows.limit);
    const some = found.length < n ? `${amount(found.length)} of ${amount(n)}` : amount(n);
    $("rows-h").replaceChildren(`${some} ${n === 1 ? "row" : "rows"} `, ...of);
    const alone = rows.slices.filter((one) => one && one.alone);
    const heads = [rows.head, "true", "predicted", ...rows.scores.map(([title]) => title)];
    if (rows.weights) heads.push("weight");
    const head = made("tr");
    [...heads, ...alone.map((one) => one.of)].forEach((text, place) => {
      const cell = made("th", text, place > 2 && place < heads.length ? "n" : "");
      cell.scope = "col";
      head.append(cell);
    });
    const body = found.map((i) => {
      const row = made("tr"), id = made("th", rows.ids[i] === null ? "–" : String(rows.ids[i]));
      id.scope = "row";
      row.append(id);
      [rows.true[i], rows.pred[i]].forEach((c) => row.appendChild(made("td")).append(named(classes[c])));
      rows.scores.forEach(([, column]) => row.append(made("td", value(column[i]), "n")));
      if (rows.weights) row.append(made("td", amount(rows.weights[i]), "n"));
      alone.forEach((one) => row.append(made("td", one.names[one.codes[i]])));
      return row;
    });
    const table = dialog.querySelector("table");
    table.tHead.replaceChildren(head);
    table.tBodies[0].replaceChildren(...body);
    const order = found.length < n ? "Worst first. " : "";
    $("rows-note").textContent = (found.length ? order : "None of them is on this page. ") +
      "In Python, report.rows() lists rows; on the command line, karat report FILE --errors FILE.csv writes every wrong row.";
    dialog.showModal();
    dialog.querySelector(".scroll").scrollTop = 0;
  };
  const button = (row, n, of, is) => {
    const heads = [...row.closest("table").tHead.rows[0].cells].map((head) => head.textContent.trim());
    const place = heads.findIndex((text) => text === "rows" || text === "weight");
    if (place < 0) return;
    const one = made("button", row.cells[place].textContent, "list");
    one.type = "button";
    one.setAttribute("aria-label", `${one.textContent} ${heads[place]}: list rows`);
    one.addEventListener("click", () => show(n, of(), is));
    row.cells[place].replaceChildren(one);
  };
  $("rows-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  for (const [figure, own] of Object.entries(rows.figures)) {
    const bins = typeof own === "string" ? rows.figures[own] : own;
    const table = document.querySelector(`#${figure} details table`);
    if (!table) continue;
    [...table.tBodies[0].rows].forEach((row, place) => {
      if (!bins[place]) return;
      const [n, those] = bins[place];
      const [name, from, to] = [...row.cells].map((cell) => cell.textContent.trim());
      const of = () => ["with probability of ", named(name), ` from ${from} to ${to}`];
      button(row, n, of, (i) => those.includes(i));
    });
  }
  rows.slices.forEach((slices, place) => {
    const table = $(`slices-${place + 1}`);
    if (!slices || !table) return;
    for (const row of table.tBodies[0].rows) {
      const code = slices.names.indexOf(row.cells[0].textContent.trim());
      if (code < 0) continue;
      const of = () => [`with ${slices.of} `, named(slices.names[code])];
      button(row, slices.counts[code], of, (i) => slices.codes[i] === code);
    }
  });
  return (i, j, n, names) => {
    const sum = (total, [row, column, count]) => total + (row === i && column === j ? count : 0);
    show(rows.counts ? rows.counts.reduce(sum, 0) : n, ["truly ", named(names[i]), ", predicted ", named(names[j])],
      (row) => place(rows.true[row]) === i && place(rows.pred[row]) === j);
  };
};
