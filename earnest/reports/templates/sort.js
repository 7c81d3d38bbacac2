"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  heads.forEach((head, column) => {
    if (head.classList.contains("fixed")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const falling = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      const key = (row) => {
        const cell = row.cells[column];
        return cell.dataset.v === undefined ? cell.textContent.trim() : cell.dataset.v;
      };
      const numeric = head.classList.contains("n");
      const rows = [...body.rows].map((row) => [key(row), row]);
      rows.sort(([a], [b]) => {
        if (a === "" || b === "") return (a === "") - (b === "");
        const order = numeric ? Number(a) - Number(b) : a.localeCompare(b);
        return falling ? -order : order;
      });
      body.append(...rows.map(([, row]) => row));
    });
  });
}
