// Links source lines with their instructions, and moves to hot rows by keyboard.
(() => {
  const rows = [...document.querySelectorAll("tr[id]")];
  const sides = [...document.querySelectorAll("section")];
  const byLine = new Map();
  for (const row of rows) {
    const line = row.dataset.line;
    if (line !== undefined) {
      byLine.set(line, [...(byLine.get(line) ?? []), row]);
    }
  }
  const sideOf = (row) => row.closest("section");
  const isHot = (row) => row.dataset.heat !== undefined;
  const byHeat = (side) =>
    rows.filter((row) => sideOf(row) === side && isHot(row))
      .sort((a, b) => b.dataset.heat - a.dataset.heat);
  let selected = null;

  function link(row) {
    document.querySelectorAll("tr.linked").forEach((other) => other.classList.remove("linked"));
    for (const other of byLine.get(row?.dataset.line) ?? []) {
      if (sideOf(other) !== sideOf(row)) {
        other.classList.add("linked");
      }
    }
  }

  // Selects a row and scrolls to its rows on the other side.
  function select(row) {
    if (!row) {
      return;
    }
    selected?.classList.remove("selected");
    selected = row;
    row.classList.add("selected");
    row.scrollIntoView({ block: "center" });
    link(row);
    const others = [...document.querySelectorAll("tr.linked")];
    const hottest = others.sort((a, b) => (b.dataset.heat ?? 0) - (a.dataset.heat ?? 0))[0];
    hottest?.scrollIntoView({ block: "center" });
    sideOf(row).focus({ preventScroll: true });
  }

  const side = () => (selected ? sideOf(selected) : sides[sides.length - 1]);
  function stepByHeat(step) {
    const order = byHeat(side());
    const at = order.indexOf(selected);
    select(at < 0 ? order[0] : order[Math.min(order.length - 1, Math.max(0, at + step))]);
  }
  function stepByRow(step) {
    const own = rows.filter((row) => sideOf(row) === side());
    const at = own.indexOf(selected);
    select(own[Math.min(own.length - 1, Math.max(0, at + step))]);
  }
  function otherSide() {
    const other = sides.find((one) => one !== side());
    if (other) {
      const linked = [...document.querySelectorAll("tr.linked")];
      select(linked.sort((a, b) => (b.dataset.heat ?? 0) - (a.dataset.heat ?? 0))[0] ?? byHeat(other)[0]);
    }
  }
  const keys = {
    h: () => select(byHeat(side())[0]),
    n: () => stepByHeat(1),
    p: () => stepByHeat(-1),
    j: () => stepByRow(1),
    k: () => stepByRow(-1),
    ArrowDown: () => stepByRow(1),
    ArrowUp: () => stepByRow(-1),
    s: otherSide,
  };
  document.addEventListener("keydown", (event) => {
    const action = keys[event.key];
    if (action && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      action();
    }
  });
  document.addEventListener("click", (event) => {
    const row = event.target.closest("tr[id]");
    if (row && !String(getSelection())) {
      select(row);
    }
  });
  document.addEventListener("mouseover", (event) => {
    const row = event.target.closest("tr[id]");
    link(row ?? selected);
  });
  document.getElementById("keys").hidden = false;
  keys.h();
})();
