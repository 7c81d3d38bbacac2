"use strict";
// What a cell is sorted by: `data-v` where it has one, else its text; of a column of numbers the
// first number in it, with our minus sign and commas, or nothing.
function sortKey(cell, numeric) {
  const text = cell.dataset.v ?? cell.textContent.trim();
  if (!numeric) return text;
  const number = text.replaceAll("\u2212", "-").replaceAll(",", "").match(/[-+]?\d+(\.\d+)?(e[-+]?\d+)?/i);
  return number ? Number(number[0]) : "";
}
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  heads.forEach((head, column) => {
    if (head.classList.contains("draw")) return; // drawings say what a column of numbers says
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const falling = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      const numeric = head.classList.contains("n");
      const rows = [...body.rows].map((row) => [sortKey(row.cells[column], numeric), row]);
      rows.sort(([a], [b]) => {
        if (a === "" || b === "") return (a === "") - (b === "");
        const order = numeric ? a - b : a.localeCompare(b);
        return falling ? -order : order;
      });
      body.append(...rows.map(([, row]) => row));
    });
  });
}
