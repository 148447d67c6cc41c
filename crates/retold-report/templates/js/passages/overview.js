// The overview, and the list of passages.

function tiles() {
  const o = overview;
  return el("dl", { class: "tiles" },
    tile("pages read", count(o.records.kept), o.copies ? t`${count(o.copies)} with the text of another` : t`${count(o.records.read)} records`),
    tile("passages", count(o.passages), o.boilerplate ? t`${count(o.boilerplate)} boilerplate of a site` : "", "strong"),
    tile("places", count(o.places), "a passage on a page"),
    tile("pairs", count(o.pairs), "a passage of two pages"),
    tile("pages that repeat another", count(o.repeating), "for the most part"),
    tile("pairs aligned", count(o.aligned)),
    tile("too common", count(o.common), "runs of words not looked for"),
    tile("rejected", count(o.records.rejected), o.records.skipped ? t`${count(o.records.skipped)} skipped` : o.records.rejected ? "rejects.jsonl has them" : "all could be read", o.records.rejected ? "warn" : ""));
}

function quote(passage) {
  const whole = [...passage.text].length >= passage.chars;
  return el("li", {}, el("a", { class: "quote", href: `#/passage/${passage.at}` }, el("span", { class: "said", dir: "auto" }, passage.text, whole ? "" : " …")),
    el("p", { class: "under" }, el("strong", {}, inPages(passage)), " · ", plural(passage.chars, "character"), " · ", firstOf(passage), passage.boilerplate ? [" ", badge("boilerplate", "warn")] : null));
}

/** Links between sites, or between pages where there are no sites: who has how many of the passages from whom. */
function whoFromWhom() {
  const links = new Map();
  for (const passage of passages) {
    const { places, sources } = detailOf(passage.at);
    for (const source of sources) {
      const [by, from] = [places[source.place].page, places[source.from].page];
      const names = by.site && from.site ? [by.site, from.site] : [by.id, from.id];
      if (!source.isLater || names[0] === names[1]) continue;
      const key = JSON.stringify(names);
      links.set(key, (links.get(key) || 0) + 1);
    }
  }
  const rows = [...links].sort((a, b) => b[1] - a[1]).slice(0, 12);
  if (!rows.length) return null;
  return section("Who has it from whom",
    el("p", { class: "note" }, "Of the passages in this report: how many times one has a passage that the other had before, with the text that is the most like it."),
    barTable(rows.map(([key, n]) => { const [by, from] = JSON.parse(key); return { name: el("span", {}, el("bdi", {}, by), " ← ", el("bdi", {}, from)), value: n, text: count(n) }; }), "The strongest links"));
}

function tooCommon() {
  if (!overview.common) return null;
  return section("Too common to be looked for",
    el("p", { class: "note" }, t`${plural(overview.common, "run")} of words are on more than ${count(overview.parameters.max_df)} pages (--max-df). The most common ones:`),
    el("ul", { class: "rows" }, overview.most_common.map((run) => el("li", {}, el("span", { dir: "auto" }, run.text), el("span", { class: "under" }, t`${plural(run.pages, "page")}, one of them `, pageId(run.id))))));
}

function limitsNote() {
  const left = overview.passages - passages.length;
  return el("p", { class: "note" }, left > 0 ? t`The report shows the ${count(passages.length)} passages that the most pages have, the longest of equals: ${count(tables.passages)} at most, and ${count(tables.boilerplate)} that are boilerplate. ${plural(left, "further one is", "further ones are")} in passages.jsonl.` : "The report shows all passages.",
    t` Of a passage ${count(tables.places)} places are listed at most; of a page longer than ${count(tables.page)} characters what stands around its passages is shown.`);
}

function settings() {
  const flat = Object.entries({ ...overview.parameters, ...(overview.parameters.params || {}) }).filter(([name, value]) => name !== "params" && value !== null);
  return el("details", { class: "settings" }, el("summary", {}, "All settings"),
    el("p", { class: "note" }, "Inputs: ", overview.inputs.flatMap((input, at) => [at ? ", " : "", pageId(input)])),
    el("dl", { class: "pairs" }, flat.map(([name, value]) => [el("dt", {}, el("bdi", {}, name)), el("dd", {}, el("bdi", {}, typeof value === "object" ? JSON.stringify(value) : String(value)))])));
}

function showOverview() {
  const most = passages.filter((passage) => !passage.boilerplate).slice(0, 10);
  show(el("h1", {}, overview.passages ? t`${plural(overview.passages, "passage")} found` : "No two pages have a passage in common"), tiles(),
    most.length ? section("The most repeated passages", el("ol", { class: "quotes" }, most.map(quote)), el("p", {}, el("a", { href: "#/passages" }, "All passages in this report")), limitsNote()) : null,
    el("div", { class: "two-up" }, whoFromWhom(), runSection()), tooCommon(), settings());
}

const orders = {
  pages: ["most pages", (a, b) => b.size - a.size], sites: ["most sites", (a, b) => b.sites - a.sites],
  length: ["longest", (a, b) => b.chars - a.chars],
  early: ["earliest", (a, b) => (a.first.time ?? Infinity) - (b.first.time ?? Infinity) || 0], late: ["latest", (a, b) => (b.first.time ?? -Infinity) - (a.first.time ?? -Infinity) || 0],
};
/** What is looked for, kept while one goes to a passage and back. */
const wanted = { words: "", order: "pages", boilerplate: false, shown: 100 };

function found() {
  const words = wanted.words.toLocaleLowerCase().trim();
  const has = (passage) => !words || passage.text.toLocaleLowerCase().includes(words) || detailOf(passage.at).places.some(({ page }) => page.id.toLocaleLowerCase().includes(words) || (page.site || "").toLocaleLowerCase().includes(words));
  return passages.filter((passage) => (wanted.boilerplate || !passage.boilerplate) && has(passage)).sort(orders[wanted.order][1]);
}

function showPassages() {
  const list = el("div", {});
  const draw = () => {
    const all = found();
    const more = all.length - wanted.shown;
    list.replaceChildren(el("p", { class: "note", role: "status" }, plural(all.length, "passage")),
      el("section", {}, all.length ? el("ol", { class: "quotes" }, all.slice(0, wanted.shown).map(quote)) : el("p", { class: "empty" }, "None."),
        more > 0 ? el("button", { type: "button", onclick: () => { wanted.shown += 200; draw(); } }, t`Show more of ${count(more)}`) : ""));
  };
  const changed = (name, value) => { wanted[name] = value; wanted.shown = 100; draw(); };
  const search = el("input", { id: "search", type: "search", placeholder: "words, page or site", oninput: (e) => changed("words", e.target.value) });
  search.value = wanted.words;
  const order = el("select", { onchange: (e) => changed("order", e.target.value) }, Object.entries(orders).map(([name, [text]]) => el("option", { value: name, selected: name === wanted.order }, text)));
  const boilerplate = el("select", { onchange: (e) => changed("boilerplate", e.target.value === "shown") }, ["hidden", "shown"].map((name) => el("option", { value: name, selected: (name === "shown") === wanted.boilerplate }, name)));
  const hasBoilerplate = passages.some((passage) => passage.boilerplate);
  show(el("h1", {}, "Passages"), el("div", { class: "controls" }, el("label", { class: "field" }, "Search", search), el("label", { class: "field" }, "Order", order),
    hasBoilerplate ? el("label", { class: "field" }, "Boilerplate", boilerplate) : null), list, limitsNote());
  draw();
}
