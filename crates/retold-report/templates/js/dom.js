// Elements. Text always goes in as text: nothing here ever parses markup.

/** Elements whose text is that of a page, a name or a command: it stays as it is. */
const own = new Set(["bdi", "code", "pre", "mark", "abbr"]);

/** Text is said in the reader's language, except in `own` elements, and in those that have a language or are to find their direction. */
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  const say = own.has(tag) || attributes.dir === "auto" || attributes.lang ? (text) => text : tr;
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className = value;
    else node.setAttribute(name, value === true ? "" : /^(title|aria-label|placeholder)$/.test(name) ? say(value) : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false).map(say));
  return node;
}

function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, name === "aria-label" ? tr(value) : value);
  node.append(...children.flat(Infinity).filter(Boolean).map(tr));
  return node;
}

/** An id of a page: long ones may break anywhere, and right-to-left names do not disturb what stands around them. */
const pageId = (id) => el("bdi", { class: "id", title: id }, id);

/** A page by its title, if it has one, and its id. */
const pageName = (id, title) => (title ? [el("bdi", { class: "named" }, title), el("span", { class: "under" }, pageId(id))] : pageId(id));

/** A message in which names stand between backticks, as in a terminal. */
const prose = (text) => text.split("`").map((part, at) => (at % 2 ? el("code", {}, part) : part));

const relationNames = { duplicate: "duplicate", contains: "contains", contained_by: "contained in", overlaps: "overlaps" };

function badge(text, kind) {
  return el("span", { class: `badge ${kind}` }, text);
}

function section(title, ...children) {
  return el("section", {}, el("h2", {}, title), ...children);
}

/** Fills the main part and puts the focus at its beginning, so that the keyboard and screen readers follow. */
function show(...children) {
  const main = document.getElementById("main");
  main.replaceChildren(...children.flat(Infinity).filter(Boolean));
  main.focus({ preventScroll: true });
}
