"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const items = [...document.querySelectorAll(".item")];
  const filter = byId("filter");
  const artefact = byId("artefact");
  const kinds = [...document.querySelectorAll("button[data-kind]")];
  const texts = new Map();
  const textOf = (node) => {
    if (!texts.has(node)) texts.set(node, node.textContent.toLowerCase());
    return texts.get(node);
  };

  // ---------------------------------------------------------------- filter

  let opened = null; // what was open before a text was looked for

  const matches = (item, words) => {
    const has = (node) => words.every((word) => textOf(node).includes(word));
    if (!item.classList.contains("file")) return has(item);
    const hunks = [...item.querySelectorAll("tbody")];
    const whole = has(item.querySelector("summary"));
    for (const hunk of hunks) hunk.hidden = !whole && !has(hunk);
    return whole || hunks.some((hunk) => !hunk.hidden);
  };

  const wanted = (item, words) => {
    const pressed = kinds.filter((button) => button.getAttribute("aria-pressed") === "true");
    const group = artefact ? artefact.value : "";
    const { kind, artefact: own } = item.dataset;
    const narrowed = pressed.length > 0 || group !== "";
    if (kind && narrowed && !pressed.some((button) => button.dataset.kind === kind)) return false;
    if (own && narrowed && own !== group) return false;
    return matches(item, words);
  };

  const apply = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length && !opened) opened = new Map(items.map((item) => [item, item.open]));
    for (const item of items) item.hidden = !wanted(item, words);
    const found = items.filter((item) => !item.hidden);
    const shown = found.length;
    // Opening all of a large page for the first letter of a word would take long.
    if (words.length && shown <= 20) for (const item of found) item.open = true;
    if (!words.length && opened) {
      for (const [item, open] of opened) item.open = open;
      opened = null;
    }
    for (const group of document.querySelectorAll(".group, .operator")) {
      group.hidden = !group.querySelector(".item:not([hidden]), .nothing");
    }
    for (const note of document.querySelectorAll(".nothing")) note.hidden = words.length > 0;
    byId("nothing").hidden = shown > 0 || items.length === 0;
    byId("shown").textContent = shown === items.length ? "" : `${shown} of ${items.length}`;
  };

  const clear = () => {
    filter.value = "";
    if (artefact) artefact.value = "";
    for (const button of kinds) button.setAttribute("aria-pressed", "false");
    apply();
  };

  filter.addEventListener("input", apply);
  if (artefact) artefact.addEventListener("change", apply);
  for (const button of kinds) {
    button.addEventListener("click", () => {
      button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
      apply();
    });
  }
  byId("clear").addEventListener("click", () => {
    clear();
    filter.focus();
  });

  // ---------------------------------------------------------------- moving about

  const mark = (node) => {
    for (const other of document.querySelectorAll(".at")) other.classList.remove("at");
    node.classList.add("at");
  };

  const select = (item) => {
    mark(item);
    item.querySelector("summary").focus({ preventScroll: true });
    item.scrollIntoView({ block: "start", behavior: "instant" });
  };

  const neighbour = (nodes, here, step) => {
    if (!nodes.length) return null;
    const at = nodes.indexOf(here);
    if (at >= 0) return nodes[Math.min(Math.max(at + step, 0), nodes.length - 1)];
    const top = document.querySelector(".bar").offsetHeight;
    const below = nodes.findIndex((node) => node.getBoundingClientRect().top >= top - 1);
    if (step > 0) return nodes[below < 0 ? nodes.length - 1 : below];
    return nodes[below < 0 ? nodes.length - 1 : Math.max(below - 1, 0)];
  };

  const move = (step) => {
    const next = neighbour(items.filter((item) => !item.hidden), document.querySelector(".item.at"), step);
    if (next) select(next);
  };

  const moveHunk = (step) => {
    const heads = [...document.querySelectorAll(".item.file[open]:not([hidden]) tbody:not([hidden]) tr.head")];
    const next = neighbour(heads, document.querySelector("tr.at"), step);
    if (!next) return;
    mark(next);
    next.scrollIntoView({ block: "center", behavior: "instant" });
  };

  const toggle = () => {
    const here = document.querySelector(".at");
    const item = here && here.closest(".item");
    if (item && !item.hidden) item.open = !item.open;
  };

  const toggleAll = () => {
    const shown = items.filter((item) => !item.hidden);
    const open = shown.some((item) => !item.open);
    for (const item of shown) item.open = open;
    byId("all").textContent = open ? "Close all" : "Open all";
  };

  const follow = () => {
    const target = location.hash.length > 1 && byId(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.hidden) clear();
    if (target.classList.contains("item")) {
      target.open = true;
      select(target);
    }
  };

  for (const item of items) item.querySelector("summary").addEventListener("click", () => mark(item));
  byId("all").addEventListener("click", toggleAll);
  addEventListener("hashchange", follow);

  // ---------------------------------------------------------------- light, dark, help, copying

  const root = document.documentElement;
  const remember = (theme) => {
    try {
      localStorage.setItem("qsfa-codegen-theme", theme);
    } catch {} // a page of a file may not
  };
  try {
    const theme = localStorage.getItem("qsfa-codegen-theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {}

  const turn = () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    remember(root.dataset.theme);
  };
  const keys = byId("keys");
  byId("theme").addEventListener("click", turn);
  byId("help").addEventListener("click", () => keys.showModal());

  for (const button of document.querySelectorAll(".copy")) {
    button.addEventListener("click", async () => {
      const text = button.parentElement.querySelector("pre");
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(text);
        button.textContent = "Selected";
      }
    });
  }

  // ---------------------------------------------------------------- keys

  const actions = {
    j: () => move(1),
    k: () => move(-1),
    n: () => moveHunk(1),
    p: () => moveHunk(-1),
    o: toggle,
    e: toggleAll,
    t: turn,
    "/": () => filter.focus(),
    "?": () => keys.showModal(),
    Escape: clear,
  };

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
    const typing = event.target.matches("input, select, textarea");
    if (typing && event.key !== "Escape") return;
    if (event.key === "Enter" && event.target === document.body) {
      toggle();
      return;
    }
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
    if (typing) event.target.blur();
  });

  // ---------------------------------------------------------------- paper

  let unfolded = [];
  addEventListener("beforeprint", () => {
    // Files stay as they are: all of them can be a hundred pages.
    unfolded = items.filter((item) => !item.open && item.classList.contains("change"));
    for (const item of unfolded) item.open = true;
  });
  addEventListener("afterprint", () => {
    for (const item of unfolded) item.open = false;
    unfolded = [];
  });

  follow();
})();
