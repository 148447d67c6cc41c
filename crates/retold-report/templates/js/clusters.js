// The list of clusters: filtered and sorted as a whole, drawn only where it is looked at.

const filter = { q: "", relation: "", site: "", min: "", max: "", flag: "", sort: "size" };
const rowHeight = 68;
let members = null;
let searching = 0;

const orders = {
  size: ["largest first", (a, b) => a - b],
  small: ["smallest first", (a, b) => clusters.size[a] - clusters.size[b] || a - b],
  least: ["least similar first", (a, b) => clusters.least[a] - clusters.least[b] || a - b],
  sites: ["most sites first", (a, b) => clusters.of_sites[b] - clusters.of_sites[a] || a - b],
  bytes: ["most bytes saved first", (a, b) => clusters.bytes[b] - clusters.bytes[a] || a - b],
  name: ["by canonical page", (a, b) => (clusters.canonical[a] < clusters.canonical[b] ? -1 : 1)],
  number: ["by number", (a, b) => clusters.number[a] - clusters.number[b]],
};

/** Places of the clusters that the filter lets through, by canonical page; other members come with `searchMembers`. */
function filtered() {
  const places = [];
  const q = filter.q.trim().toLowerCase();
  const site = filter.site.trim().toLowerCase();
  const wanted = site ? new Set(tables.sites.flatMap((name, at) => (name.toLowerCase().includes(site) ? [at] : []))) : null;
  const [min, max] = [Number(filter.min) || 0, Number(filter.max) || Infinity];
  const mask = { duplicate: 1, contains: 2, overlaps: 32 }[filter.relation] || 0;
  for (let at = 0; at < clusters.number.length; at++) {
    const size = clusters.size[at];
    if (size < min || size > max) continue;
    if (mask && !(clusters.flags[at] & mask)) continue;
    if (filter.flag && !(clusters.flags[at] & 28)) continue;
    if (wanted && !clusters.sites[at].some((s) => wanted.has(s))) continue;
    if (q && !matches(at, q)) continue;
    places.push(at);
  }
  if (filter.sort !== "size") places.sort(orders[filter.sort][1]);
  return places;
}

function matches(at, q) {
  return clusters.canonical[at].toLowerCase().includes(q) || (clusters.title[at] || "").toLowerCase().includes(q) || String(clusters.number[at]) === q || (members && members[at] && members[at].includes(q));
}

/** Reads the ids and titles of all members in slices the first time that somebody searches. */
function searchMembers(redraw, status) {
  const turn = ++searching;
  if (members && members.length >= tables.detailed) return;
  members = members || [];
  const step = () => {
    if (turn !== searching) return;
    const until = performance.now() + 40;
    while (members.length < tables.detailed && performance.now() < until) {
      const part = chunk("detail", Math.floor(members.length / tables.detail_chunk), true);
      for (const detail of part) members.push(detail[0].map((m) => `${m[0]}\n${m[9] || ""}`.toLowerCase()).join("\n"));
    }
    status(members.length / tables.detailed);
    if (members.length < tables.detailed) setTimeout(step);
    else redraw();
  };
  step();
}

function field(name, control) {
  return el("label", { class: "field" }, el("span", {}, name), control);
}

function choice(name, options, change) {
  const select = el("select", { onchange: (e) => { filter[name] = e.target.value; change(); } },
    options.map(([value, text]) => el("option", { value, selected: filter[name] === value }, text)));
  return select;
}

function input(name, attributes, change) {
  let wait;
  return el("input", { ...attributes, value: filter[name], autocomplete: "off", oninput: (e) => {
    filter[name] = e.target.value;
    clearTimeout(wait);
    wait = setTimeout(change, 120);
  } });
}

function controls(change) {
  const siteNames = el("datalist", { id: "sites" }, tables.sites.slice(0, 1000).map((name) => el("option", { value: name })));
  return el("form", { class: "controls", onsubmit: (e) => e.preventDefault(), role: "search" },
    field("Search ids and titles", input("q", { type: "search", id: "search", placeholder: "part of an id or title, or a cluster’s number" }, change)),
    field("Relation", choice("relation", [["", "any"], ["duplicate", "has duplicates"], ["contains", "has contained pages"], ["overlaps", "has pages that overlap"]], change)),
    tables.sites.length ? field("Site", input("site", { type: "search", list: "sites", placeholder: "any" }, change)) : null,
    siteNames,
    field("Pages from", input("min", { type: "number", min: 2, placeholder: "2" }, change)),
    field("to", input("max", { type: "number", min: 2, placeholder: "any" }, change)),
    field("Flagged", choice("flag", [["", "all"], ["1", "loose, very large, or much of a site"]], change)),
    field("Order", choice("sort", Object.entries(orders).map(([value, [text]]) => [value, text]), change)));
}

function row(place, at, open) {
  const flags = clusters.flags[place];
  return el("a", { class: `row ${open === place ? "open" : ""}`, href: `#/cluster/${clusters.number[place]}`, role: "option", id: `row-${at}`, "aria-selected": open === place, tabindex: -1 },
    el("span", { class: "size" }, short(clusters.size[place]), el("small", {}, "pages")),
    el("span", { class: "what" }, clusters.title[place] ? el("bdi", { class: "named one-line" }, clusters.title[place]) : null, el("bdi", { class: "id one-line" }, clusters.canonical[place]),
      el("span", { class: "meta" },
        flags & 1 ? badge("duplicate", "duplicate") : null, flags & 2 ? badge("containment", "contains") : null, flags & 32 ? badge("overlaps", "overlaps") : null,
        flags & 4 ? badge("loose", "warn") : null, flags & 8 ? badge("very large", "warn") : null,
        flags & 16 ? badge("much of a site", "warn") : null,
        el("span", {}, t`from ${ratio(clusters.least[place] / 1000)}`),
        clusters.of_sites[place] > 1 ? el("span", {}, t`${short(clusters.of_sites[place])} sites`) : null,
        clusters.dropped[place] ? el("span", { class: "wide" }, t`${bytes(clusters.bytes[place])} saved`) : null)));
}

/** A list of rows of one height of which only those in sight are elements. */
function virtualList(label) {
  const inside = el("div", { class: "inside" });
  const box = el("div", { class: "virtual", tabindex: 0, role: "listbox", "aria-label": label }, inside);
  let places = [];
  let open = -1;
  let cursor = 0;
  const draw = () => {
    const first = Math.max(0, Math.floor(box.scrollTop / rowHeight) - 4);
    const last = Math.min(places.length, first + Math.ceil(box.clientHeight / rowHeight) + 9);
    const rows = [];
    for (let at = first; at < last; at++) {
      const node = row(places[at], at, open);
      node.style.transform = `translateY(${at * rowHeight}px)`;
      if (at === cursor) node.classList.add("cursor");
      rows.push(node);
    }
    inside.replaceChildren(...rows);
    if (places.length) box.setAttribute("aria-activedescendant", `row-${cursor}`);
  };
  const move = (to) => {
    cursor = Math.max(0, Math.min(places.length - 1, to));
    const top = cursor * rowHeight;
    if (top < box.scrollTop) box.scrollTop = top;
    if (top + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + rowHeight - box.clientHeight;
    draw();
  };
  const page = () => Math.max(1, Math.floor(box.clientHeight / rowHeight) - 1);
  const keys = { ArrowDown: () => cursor + 1, j: () => cursor + 1, ArrowUp: () => cursor - 1, k: () => cursor - 1, PageDown: () => cursor + page(), PageUp: () => cursor - page(), Home: () => 0, End: () => places.length - 1 };
  box.addEventListener("scroll", draw, { passive: true });
  box.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (keys[e.key]) { e.preventDefault(); move(keys[e.key]()); }
    if (e.key === "Enter" && places.length) { e.preventDefault(); location.hash = `#/cluster/${clusters.number[places[cursor]]}`; }
  });
  new ResizeObserver(draw).observe(box);
  return {
    box,
    fill(list) { places = list; cursor = 0; inside.style.height = `${places.length * rowHeight}px`; box.scrollTop = 0; draw(); },
    open(place) { open = place; const at = places.indexOf(place); if (at >= 0) move(at); else draw(); },
  };
}

let view = null;

/** The view with the list; made once, so that its place and filter stay as they are. */
function clustersView() {
  if (view) return view;
  const list = virtualList("Clusters");
  const status = el("p", { class: "note", role: "status" });
  const tell = (found, share) => {
    status.textContent = (found < clusters.number.length ? t`${plural(found, "cluster")} of ${count(clusters.number.length)}` : plural(found, "cluster")) +
      (tables.clusters > tables.listed ? t`; the report lists the ${count(tables.listed)} largest of ${count(tables.clusters)}, clusters.jsonl has all` : "") +
      (share < 1 ? t`; searching members … ${Math.floor(100 * share)} %` : "");
  };
  const redraw = () => { const found = filtered(); list.fill(found); tell(found.length, 1); };
  const change = () => { redraw(); if (filter.q.trim().length > 1) searchMembers(redraw, (share) => tell(filtered().length, share)); };
  const detail = el("div", { class: "detail", "aria-live": "polite" });
  view = { root: el("div", { class: "split" }, el("div", { class: "left" }, el("h1", {}, "Clusters"), controls(change), status, list.box), detail), list, detail, redraw };
  redraw();
  return view;
}

function showClusters(options) {
  if (options && options.flag !== undefined && filter.flag !== options.flag) { filter.flag = options.flag; view = null; }
  const shown = clustersView();
  shown.root.classList.remove("has-detail");
  shown.detail.replaceChildren(el("p", { class: "empty" }, "Choose a cluster to see its pages."));
  show(shown.root);
  shown.list.open(-1);
}
