"use strict";
// The web page. The fragment of the URL names the view, so that every view has a link.
const language = navigator.languages.map(tag => tag.slice(0, 2)).find(tag => STRINGS[tag]) || "en";
document.documentElement.lang = language === "zh" ? "zh-CN" : language;
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
const say = (name, values = {}) => fill(STRINGS[language][name], values);
/** A text with a number; `names` are the strings for 1 and for other numbers. */
const count = (number, [one, many]) => number === 1 && one ? say(one) : say(many, { n: number.toLocaleString(language) });
const $ = id => document.getElementById(id);

/** Makes an element. `parts` are texts and elements; false and null are skipped. */
function make(tag, options, ...parts) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(options || {})) {
    if (name in node && name !== "role") node[name] = value; else node.setAttribute(name, value);
  }
  node.append(...parts.flat().filter(part => part != null && part !== false));
  return node;
}
function draw(tag, options, ...parts) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(options)) node.setAttribute(name, value);
  node.append(...parts);
  return node;
}

let turn = 0; // answers for earlier views are dropped
async function ask(path, options = {}) {
  const headers = { ...options.headers };
  const token = sessionStorage.getItem("retold-token");
  if (token) headers.Authorization = "Bearer " + token;
  const answer = await fetch(path, { ...options, headers });
  if (answer.status === 401) { $("lock").hidden = false; $("token").focus(); sessionStorage.removeItem("retold-token"); }
  if (answer.ok) return answer.json();
  const problem = await answer.json().catch(() => ({ detail: answer.statusText }));
  throw Object.assign(new Error(problem.detail || problem.title), { status: answer.status });
}
const missing = error => { if (error.status === 404) return null; throw error; };
const pagePath = id => "/v1/pages/" + encodeURIComponent(id);
const query = values => new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "" && value != null)).toString();
const link = (view, values = {}) => "#/" + view + (query(values) ? "?" + query(values) : "");
const pageLink = id => "#/page/" + encodeURIComponent(id);
const storyLink = (id, values) => link("story/" + encodeURIComponent(id), values);
const time = moment => moment.slice(0, 16).replace("T", " ");

// Only http(s) URLs become links, because pages choose their own URLs.
function address(url) {
  if (!/^https?:\/\//i.test(url || "")) return make("span", { className: "small soft" }, url || "");
  return make("a", { href: url, rel: "noreferrer noopener", target: "_blank", className: "small" }, url);
}

/** A marked passage that can be clicked. */
function passage(text, title, press, name = "") {
  const mark = make("mark", { className: name, tabIndex: 0, role: "button", title, onclick: press }, text);
  mark.onkeydown = event => { if (event.key === "Enter") press(); };
  return mark;
}
/** Selects these marks and no others. */
function press(marks) {
  document.querySelectorAll("mark.now").forEach(mark => mark.classList.remove("now"));
  marks.forEach(mark => mark.classList.add("now"));
}

function tell(text, bad) { $("said").textContent = text; $("said").className = bad ? "bad" : ""; }

/** Buttons that save rows as CSV and JSON. `rows` returns all of them, as flat objects. */
function downloads(name, rows) {
  const save = async (kind, type, write) => {
    try {
      const url = URL.createObjectURL(new Blob([write(await rows())], { type }));
      make("a", { href: url, download: name + "." + kind }).click();
      setTimeout(() => URL.revokeObjectURL(url), 1000);
    } catch (error) { tell(error.message, true); }
  };
  const button = (kind, type, write) => make("button", { className: "quiet", type: "button", title: say("download"), onclick: () => save(kind, type, write) }, say(kind));
  return make("span", null, button("csv", "text/csv", csv), " ", button("json", "application/json", rows => JSON.stringify(rows, null, 1)));
}
// An apostrophe keeps spreadsheets from running a cell as a formula.
function csv(rows) {
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))];
  const cell = value => {
    const text = value == null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
    return '"' + (/^[=+\-@\t\r]/.test(text) && typeof value === "string" ? "'" : "") + text.replaceAll('"', '""') + '"';
  };
  return "\ufeff" + [names, ...rows.map(row => names.map(name => row[name]))].map(row => row.map(cell).join(",")).join("\r\n") + "\r\n";
}
async function everything(path, key) {
  const all = [];
  for (let cursor = ""; cursor != null;) {
    const part = await ask(path + (path.includes("?") ? "&" : "?") + query({ limit: 1000, cursor }));
    all.push(...part[key]);
    cursor = part.next;
  }
  return all;
}

// ---- filters ----

const FILTERS = ["since", "until", "site", "language", "q"];
const filtersOf = values => Object.fromEntries(FILTERS.map(name => [name, values.get(name) || ""]));
const LANGUAGES = ["zh", "en", "ja", "ko", "de", "fr", "es", "pt", "it", "ru", "uk", "ar", "fa", "tr", "vi", "th", "id", "hi", "el", "he", "pl", "nl", "sv"];

/** A form whose fields are stored in the URL. */
function filters(view, values, names) {
  const given = filtersOf(values);
  const field = (name, input) => make("div", null, make("label", { htmlFor: "filter-" + name }, say(name === "q" ? "words" : name)), Object.assign(input, { id: "filter-" + name, name }));
  const inputs = {
    since: () => make("input", { type: "date", value: given.since.slice(0, 10) }),
    until: () => make("input", { type: "date", value: given.until.slice(0, 10) }),
    site: () => make("input", { value: given.site, autocomplete: "off" }),
    q: () => make("input", { value: given.q, autocomplete: "off" }),
    language: () => make("select", null, make("option", { value: "" }, say("all")), LANGUAGES.map(tag => make("option", { value: tag, selected: tag === given.language }, new Intl.DisplayNames([language], { type: "language" }).of(tag)))),
    sort: () => make("select", null, ["size", "recent", "growth"].map(sort => make("option", { value: sort, selected: sort === (values.get("sort") || "size") }, say(sort)))),
  };
  const form = make("form", { className: "filters", role: "group", "aria-label": say("apply") }, names.map(name => field(name, inputs[name]())), make("button", null, say("apply")));
  form.onsubmit = event => { event.preventDefault(); location.hash = link(view, Object.fromEntries(new FormData(form))); };
  return form;
}

// ---- pieces ----

function curve(points) {
  const most = Math.max(...points, 1), width = 96, height = 30;
  const places = points.map((point, at) => (at * width / (points.length - 1)).toFixed(1) + "," + (height - 1 - point / most * (height - 3)).toFixed(1));
  return draw("svg", { width, height, "aria-hidden": "true" }, draw("polyline", { points: places.join(" "), class: "line" }));
}
function span(line) {
  const [from, to] = [line.first_seen.slice(0, 10), line.last_seen.slice(0, 10)];
  return from === to ? say("on", { from }) : say("from", { from, to });
}
const facts = line => [
  count(line.pages, ["onePage", "pagesOf"]), line.sites > 0 && count(line.sites, ["oneSite", "sites"]), line.excerpts > 0 && count(line.excerpts, ["oneExcerpt", "excerpts"]),
  line.longer > 0 && count(line.longer, ["oneLonger", "longer"]), line.round_ups > 0 && count(line.round_ups, ["oneRoundUp", "roundUps"]), span(line), line.new_pages > 0 && count(line.new_pages, [null, "grew"]),
].filter(Boolean).join(" · ");
const card = story => make("li", { className: "card" }, make("a", { href: storyLink(story.id) }, story.title || story.id), make("span", { className: "soft small" }, facts(story)), curve(story.curve));
const cards = stories => make("ol", { className: "cards" }, stories.map(card));
const flatStory = ({ curve, ...line }) => line;

function siteTable(caption, heading, rows) {
  return make("table", null, make("caption", null, caption),
    make("thead", null, make("tr", null, make("th", { scope: "col" }, say("siteName")), make("th", { scope: "col", className: "n" }, heading))),
    make("tbody", null, rows.length ? null : make("tr", null, make("td", { colSpan: 2, className: "soft" }, say("none"))), rows.map(row => make("tr", null, make("td", null, make("a", { href: link("search", { site: row.site }) }, row.site)), make("td", { className: "n" }, row.pages.toLocaleString(language))))));
}

function dayChart(days) {
  const most = Math.max(...days.map(day => day.pages), 1), step = 20, height = 90;
  const bars = days.flatMap((day, at) => [[day.pages, ""], [day.reprints, " re"]].map(([pages, kind]) => draw("rect", { x: at * step + 2, width: step - 4, y: (height * (1 - pages / most)).toFixed(1), height: (height * pages / most).toFixed(1), class: "bar" + kind }, draw("title", {}, `${day.day.slice(0, 10)}: ${pages}`))));
  const label = days.map(day => `${day.day.slice(0, 10)}: ${day.pages} (${day.reprints})`).join(", ");
  const chart = draw("svg", { viewBox: `0 0 ${days.length * step} ${height}`, preserveAspectRatio: "none", class: "days", role: "img", "aria-label": say("days") + ": " + label }, ...bars);
  return make("figure", null, make("figcaption", { className: "soft small" }, say("days") + ", " + say("from", { from: days[0].day.slice(0, 10), to: days.at(-1).day.slice(0, 10) })), chart);
}

// ---- views: each returns its elements ----

async function home(values) {
  const told = await ask("/v1/overview?" + query(filtersOf(values)));
  const number = (name, value) => make("div", null, make("dt", null, say(name)), make("dd", null, value.toLocaleString(language)));
  const list = (name, stories, sort) => make("section", null, make("div", { className: "head" }, make("h3", null, say(name)), downloads(name, () => stories.map(flatStory))),
    stories.length ? cards(stories) : make("p", { className: "soft" }, say("none")), make("p", null, make("a", { href: link("stories", { ...filtersOf(values), sort }) }, say("more"))));
  return ["home", [
    make("h2", null, say("home")),
    filters("", values, ["since", "until", "site", "language"]),
    make("dl", { className: "numbers" }, number("newPages", told.new_pages), number("newStories", told.new_stories), number("newReprints", told.new_reprints), number("allPages", told.pages),
      number("articles", told.stories.articles), number("mean", told.stories.mean_reprints), number("most", told.stories.most_reprints), number("peak", told.stories.most_a_day)),
    make("p", { className: "soft small" }, say("counted", { now: time(told.now) })),
    dayChart(told.days),
    make("div", { className: "columns" }, list("largest", told.largest, "size"), list("fastest", told.fastest, "growth")),
    make("div", { className: "columns" }, make("section", null, siteTable(say("first"), say("siteFirst"), told.first), downloads("first", () => told.first)),
      make("section", null, siteTable(say("reprinting"), say("siteStories"), told.reprinting), downloads("reprinting", () => told.reprinting))),
  ]];
}

/** A list that is loaded in parts, with a button for the next part. `row` draws each entry of `key` in an answer. */
async function parts(path, key, row) {
  const list = make("ol", { className: "cards" }), more = make("button", { className: "quiet", type: "button" }, say("more"));
  let cursor = null;
  const load = async () => {
    const part = await ask(path + "&" + query({ limit: 50, cursor }));
    list.append(...part[key].map(row));
    cursor = part.next;
    more.hidden = !cursor;
    return part;
  };
  more.onclick = () => load().catch(error => tell(error.message, true));
  const { total, complete } = await load();
  return { total, complete, shown: [list, more] };
}
const partly = complete => !complete && make("p", { className: "soft" }, say("partly"));
const head = (text, name, rows) => make("div", { className: "head" }, make("p", { className: "soft" }, text), downloads(name, rows));

async function stories(values) {
  const path = "/v1/stories?" + query({ ...filtersOf(values), sort: values.get("sort") });
  const { total, complete, shown } = await parts(path, "stories", card);
  return ["stories", [
    make("h2", null, say("stories")), filters("stories", values, ["sort", "q", "since", "until", "site", "language"]),
    head(total ? count(total, ["oneStory", "storiesOf"]) : say("noStories"), "stories", async () => (await everything(path, "stories")).map(flatStory)), partly(complete), shown,
  ]];
}

const pageRow = page => make("li", { className: "card" }, make("a", { href: pageLink(page.id) }, page.title || page.id),
  make("span", { className: "soft small" }, [time(page.seen), page.site].filter(Boolean).join(" · "), page.story_pages > 1 && [" · ", make("a", { href: storyLink(page.story) }, count(page.story_pages, ["onePage", "pagesOf"]))]),
  page.excerpt && make("span", { className: "small excerpt" }, page.excerpt));

async function search(values) {
  const path = "/v1/search?" + query(filtersOf(values));
  const { total, complete, shown } = await parts(path, "pages", pageRow);
  return ["pages", [
    make("h2", null, say("pages")), filters("search", values, ["q", "since", "until", "site", "language"]),
    head(total ? count(total, ["onePage", "pagesOf"]) : say("noPages"), "pages", () => everything(path, "pages")), partly(complete), shown,
  ]];
}

const ROWS = 40;

async function story(values, id) {
  const skip = Number(values.get("skip")) || 0;
  const told = await ask("/v1/stories/" + encodeURIComponent(id) + "?" + query({ skip, limit: ROWS, edits: true })).catch(missing);
  if (!told) return ["storyOf", [make("h2", null, say("gone"))]];
  const all = told.pages + told.excerpts + told.longer + told.round_ups;
  const names = new Map(told.timeline.map(row => [row.id, row.site || row.title || row.id]));
  const first = told.timeline.find(row => row.what === "first");
  const row = page => {
    const what = STRINGS[language].what[page.what], of = page.of && make("a", { href: pageLink(page.of) }, names.get(page.of) || page.of);
    const sentence = say("of", { what, of: "\u0001" }).split("\u0001");
    const edits = page.edits, button = edits && make("button", { className: "quiet", type: "button" }, say("changes"));
    const item = make("li", { className: page.what },
      make("div", { className: "head" }, make("span", null, make("span", { className: "small soft" }, time(page.seen) + "  "), make("a", { href: pageLink(page.id) }, page.title || page.id), make("span", { className: "small soft" }, page.site ? "  " + page.site : "")),
        make("span", null, page.part !== "page" && [make("span", { className: "tag " + page.part, title: STRINGS[language].means[page.part] }, STRINGS[language].part[page.part]), " "], make("span", { className: "tag", title: STRINGS[language].means[page.what] }, of ? [sentence[0], of, sentence[1]] : what))),
      edits && make("div", { className: "small soft" }, say("edits", edits), edits.titles && " · " + say("headline", { title: edits.titles[0] }), " ", button), " ", address(page.url));
    if (button) button.onclick = () => showEdits(item, button, told.timeline, first, page).catch(error => tell(error.message, true));
    return item;
  };
  const turnTo = (name, at) => make("a", { href: storyLink(told.id, { skip: at || "" }) }, say(name));
  return ["storyOf", [
    make("h2", null, told.title || told.id), told.id !== id && make("p", { className: "soft" }, say("movedHere")),
    make("p", { className: "soft" }, facts(told)), address(told.url),
    told.timeline.length > 2 && graph(told.timeline),
    make("div", { className: "head" }, make("h3", null, say("timeline")), downloads("story", async () => (await ask("/v1/stories/" + encodeURIComponent(told.id))).timeline)),
    all > ROWS && make("p", { className: "soft" }, say("rows", { from: skip + 1, to: skip + told.timeline.length, all }), "  ", skip > 0 && turnTo("earlier", Math.max(0, skip - ROWS)), " ", skip + ROWS < all && turnTo("later", skip + ROWS)),
    make("ol", { className: "time", id: "time" }, told.timeline.map(row)),
    all > ROWS && make("p", null, skip > 0 && turnTo("earlier", Math.max(0, skip - ROWS)), " ", skip + ROWS < all && turnTo("later", skip + ROWS)),
  ], told.title || told.id];
}

async function showEdits(item, button, timeline, first, page) {
  const of = (first || timeline[0]).id;
  const told = await ask("/v1/edits?" + query({ id: page.id, of }));
  button.remove();
  item.append(make("ul", { className: "small" }, told.places.slice(0, 200).map(place => make("li", null, place.before && make("del", null, place.before), place.before && place.after && " → ", place.after && make("ins", null, place.after)))));
}

/** Pages from left to right by time, with a line from each to the most similar page. */
function graph(timeline) {
  const moments = timeline.map(row => Date.parse(row.seen)), least = Math.min(...moments), spread = Math.max(...moments) - least || 1;
  const width = 700, step = 12, height = timeline.length * step + 10;
  const place = new Map(timeline.map((row, at) => [row.id, [10 + (moments[at] - least) / spread * (width - 20), at * step + 10]]));
  const lines = timeline.filter(row => place.has(row.of)).map(row => {
    const [[x, y], [u, v]] = [place.get(row.of), place.get(row.id)];
    return draw("path", { d: `M${x.toFixed(1)} ${y} C${x.toFixed(1)} ${v} ${x.toFixed(1)} ${v} ${u.toFixed(1)} ${v}`, class: "edge" });
  });
  const dots = timeline.map(row => {
    const [x, y] = place.get(row.id);
    return draw("circle", { cx: x.toFixed(1), cy: y, r: row.what === "first" ? 5 : 3.5, class: "dot " + row.part }, draw("title", {}, `${time(row.seen)} ${row.site || ""} ${row.title || row.id}`));
  });
  const chart = draw("svg", { viewBox: `0 0 ${width} ${height}`, class: "graph", role: "img", "aria-label": say("graph") }, ...lines, ...dots);
  return make("figure", null, make("figcaption", { className: "soft small" }, say("graph")), chart);
}

async function page(values, id) {
  const told = await ask(pagePath(id)).catch(missing);
  if (!told) return ["pageOf", [make("h2", null, say("gone"))]];
  const { matches } = await ask(pagePath(id) + "/matches?limit=20");
  // Complete reprints first, because they matter more than many short parts.
  matches.sort((a, b) => (a.relation !== "duplicate") - (b.relation !== "duplicate") || (a.relation === "overlaps") - (b.relation === "overlaps"));
  const found = told.text == null ? null : await ask(pagePath(id) + "/passages?" + SHORT);
  const body = [
    make("h2", null, told.title || told.id),
    make("p", { className: "soft" }, [told.site, told.date && say("published", { date: told.date })].filter(Boolean).join(" · "), " ", make("a", { href: storyLink(told.id) }, say("toStory"))),
    make("p", null, address(told.url)),
    found ? whole(found) : make("p", { className: "soft" }, say("noTexts")),
    make("h3", null, say("others")),
    matchList({ id }, matches, say("inIndex", { id: told.id }) + howMany(matches, "repeats")),
  ];
  return ["pageOf", body, told.title || told.id];
}

/** Minimum words or characters of a marked passage; fewer than in a run, because there is only one text to read. */
const SHORT = "min_words=12&min_chars=15";

/** A text in which passages of other pages are marked; a click shows these pages. */
function whole({ text, passages }) {
  // Positions count characters, not UTF-16 units.
  const characters = [...text], ends = new Set([0, characters.length]);
  passages.forEach(passage => ends.add(passage.begin).add(passage.end));
  const places = [...ends].sort((a, b) => a - b);
  const box = make("div", { className: "text", id: "text", tabIndex: 0, role: "region", "aria-label": say("whole") });
  const where = make("p", { id: "where", "aria-live": "polite" });
  for (let at = 0; at + 1 < places.length; at++) {
    const piece = characters.slice(places[at], places[at + 1]).join("");
    const here = passages.filter(passage => passage.begin <= places[at] && passage.end >= places[at + 1]);
    const others = [...new Map(here.flatMap(passage => passage.pages).map(page => [page.id, page])).values()];
    if (!others.length || !piece.trim()) { box.append(piece); continue; }
    const label = count(others.length, ["elsewhereOne", "elsewhere"]);
    const mark = passage(piece, label, () => {
      press([mark]);
      where.replaceChildren(label + ": ", ...others.flatMap(page => [make("a", { href: pageLink(page.id) }, page.site || page.title || page.id), " "]));
    });
    box.append(mark);
  }
  return [make("h3", null, say("whole")), box, where];
}

/** How many matches repeat the text or page, and how many only overlap it; `name` selects the strings. */
function howMany(matches, name) {
  const overlaps = matches.filter(match => match.relation === "overlaps").length, repeats = matches.length - overlaps;
  const told = repeats ? count(repeats, [name + "One", name]) : say(name + "None");
  return overlaps ? told + " " + count(overlaps, ["overlapsOne", "overlapping"]) : told;
}

/** The matches of a page or text (`{ id }` or `{ type, body }`), and what two pages have in common. */
function matchList(asked, matches, heading) {
  const left = make("div", { className: "text", id: "left", tabIndex: 0, role: "region", "aria-label": "1" }), right = make("div", { className: "text", id: "right", tabIndex: 0, role: "region", "aria-label": "2" });
  const verdict = make("p", { id: "verdict", className: "soft" }), why = make("section", { id: "why", hidden: true }, make("h3", null, say("both")), verdict, make("div", { className: "sides" }, left, right));
  const show = async (match, row) => {
    document.querySelectorAll(".row.open").forEach(other => other.classList.remove("open"));
    row.classList.add("open");
    const told = asked.id != null ? await ask("/v1/explain?" + query({ a: asked.id, b: match.id, offsets: "utf16" }))
      : await ask("/v1/explain?" + query({ b: match.id, offsets: "utf16" }), { method: "POST", headers: { "Content-Type": asked.type }, body: asked.body });
    why.hidden = false;
    verdict.textContent = told.exact ? say("equal") : told.checks.map(check => check.line).join(" · ");
    [[left, told.a, "a"], [right, told.b, "b"]].forEach(([box, page, key]) => { box.setAttribute("aria-label", page.title || page.id); side(box, page, told.passages, key, [left, right]); });
  };
  const rows = matches.map(match => {
    const meter = make("span", { className: "meter", "aria-hidden": "true" });
    meter.style.setProperty("--share", (100 * match.similarity).toFixed(0) + "%");
    const button = make("button", { className: "quiet", type: "button" }, say("compare"));
    const row = make("div", { className: "row" },
      make("div", { className: "head" }, make("a", { href: pageLink(match.id) }, match.title || match.id), make("span", { className: "small" }, make("span", { className: "tag" }, say(match.relation)), " ", meter, ` ${(100 * match.similarity).toFixed(0)} %`, match.own + match.own_match > 0 && ` · ${say("own", { own: match.own, other: match.own_match })}`)),
      make("div", { className: "head" }, make("span", null, make("span", { className: "small soft" }, [match.site, match.date].filter(Boolean).join(" · ") + " "), address(match.url)), button));
    button.onclick = () => show(match, row).then(() => why.scrollIntoView(), error => tell(error.message, true));
    return row;
  });
  if (matches.length && asked.body != null) show(matches[0], rows[0]).catch(error => tell(error.message, true));
  return make("div", null, make("div", { className: "head" }, make("p", { id: "found" }, heading), matches.length > 0 && downloads("matches", () => matches)), make("div", { id: "matches" }, rows), why);
}

function side(box, told, passages, key, boxes) {
  box.replaceChildren(make("h4", null, told.title || told.id));
  const places = passages.map((passage, number) => ({ from: passage[key][0], to: passage[key][1], kind: passage.kind, number })).sort((x, y) => x.from - y.from);
  let at = 0;
  for (const place of places) {
    if (place.from < at) continue;
    const isMoved = place.kind === "moved";
    const mark = passage(told.text.slice(place.from, place.to), say(isMoved ? "moved" : "here"), () => go(place.number, box, boxes), isMoved ? "moved" : "");
    mark.dataset.number = place.number;
    box.append(told.text.slice(at, place.from), mark);
    at = place.to;
  }
  box.append(told.text.slice(at));
  box.scrollTop = 0;
}
function go(number, from, boxes) {
  const found = boxes.map(box => [box, box.querySelector('mark[data-number="' + number + '"]')]).filter(([, mark]) => mark);
  press(found.map(([, mark]) => mark));
  for (const [box, mark] of found) if (box !== from) box.scrollTop = mark.offsetTop - box.offsetTop - box.clientHeight / 3;
}

// ---- search ----

/** A text that is not in the index. It is not in the URL, because it may be long or private. */
async function foreign(body) {
  const asked = { type: /^\s*</.test(body) ? "text/html; charset=utf-8" : "text/plain; charset=utf-8", body };
  const post = path => ask(path, { method: "POST", headers: { "Content-Type": asked.type }, body });
  // An index without texts has no passages.
  const [{ matches }, added, found] = await Promise.all([post("/v1/query?matches=100"), post("/v1/query?matches=0&adds=true").catch(() => null), post("/v1/passages?" + SHORT).catch(() => null)]);
  return ["look", [make("h2", null, say("look")), matches.length > 0 && added && news(added.adds), found && found.passages.length > 0 && whole(found), matchList(asked, matches, howMany(matches, "foreign"))]];
}

/** What a text says that no page of the index says. */
function news({ words, passages }) {
  const told = passages.length ? count(words, ["addsOne", "adds"]) : say("addsNone");
  return make("section", { id: "adds" }, make("p", null, told), passages.map(passage => make("blockquote", null, passage.text)));
}

/** An id or a URL opens its page, a few words search for pages, and anything else is a text. */
async function lookUp(text) {
  if (text.length < 2000 && !text.includes("\n")) {
    const found = await ask(pagePath(text)).catch(missing) || (/^https?:\/\/\S+$/i.test(text) ? await ask("/v1/pages?url=" + encodeURIComponent(text)).catch(missing) : null);
    if (found) { location.hash = pageLink(found.id); return null; }
    if (/^https?:\/\/\S+$/i.test(text)) return ["look", [make("h2", null, say("look")), make("p", { id: "found" }, say("noUrl"))]];
    if ([...text].length <= 60 && !/^\s*</.test(text)) { location.hash = link("search", { q: text }); return null; }
  }
  return foreign(text);
}

const VIEWS = { "": home, stories, search, story, page };

async function show(view) {
  const now = ++turn;
  tell(say("loading"));
  try {
    const shown = await view();
    if (now !== turn || !shown) return;
    const [name, parts, title] = shown;
    tell("");
    $("view").replaceChildren(...parts.flat(3).filter(part => part != null && part !== false));
    document.title = say("title", { what: title || say(name) });
    document.querySelectorAll("nav a").forEach(link => link.dataset.say === name ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current"));
  } catch (error) { if (now === turn) { $("view").replaceChildren(); tell(error.message, true); } }
}

function route() {
  // Links of 0.1: #id=…
  const old = new URLSearchParams(location.hash.slice(1)).get("id");
  const [path, values] = old && !location.hash.startsWith("#/") ? ["page/" + encodeURIComponent(old), ""] : location.hash.replace(/^#\/?/, "").split("?");
  if (path === "main") return;
  const [name, ...rest] = path.split("/");
  const view = VIEWS[name] || home;
  let id = rest.join("/");
  try { id = decodeURIComponent(id); } catch { /* it is as it is */ }
  scrollTo(0, 0);
  show(() => view(new URLSearchParams(values || ""), id));
}

document.querySelectorAll("[data-say]").forEach(node => { node.textContent = say(node.dataset.say); });
document.querySelectorAll("[data-label]").forEach(node => node.setAttribute("aria-label", say(node.dataset.label)));
$("form").onsubmit = event => { event.preventDefault(); const text = $("what").value.trim(); if (text) show(() => lookUp(text)); };
$("what").onkeydown = event => { if (event.key === "Enter" && !event.shiftKey && !$("what").value.includes("\n")) { event.preventDefault(); $("form").requestSubmit(); } };
$("lock").onsubmit = event => { event.preventDefault(); sessionStorage.setItem("retold-token", $("token").value); $("lock").hidden = true; route(); };
addEventListener("hashchange", route);
route();
