// Two pages side by side: the verdict, the arithmetic, the features, and the texts where the report has them.

/** The pair in a story of `retold explain`, in the form that pairs of a report have. */
function pairOfStory(story) {
  return {
    ...story, numbers: null, missing: "",
    back: null, previous: null, next: null,
  };
}

/** A pair of a cluster, with texts and features if the report has them. */
function pairOfCluster(place, a, b) {
  const cluster = clusterAt(place);
  const at = cluster ? cluster.pairs.findIndex((pair) => pair.a === a && pair.b === b) : -1;
  if (at < 0) return null;
  const number = clusters.number[place];
  const link = (p) => (p ? `#/pair/${number}/${p.a}/${p.b}` : null);
  return pairWithTexts(cluster.pairs[at], [cluster.members[a], cluster.members[b]], {
    back: [`#/cluster/${number}`, t`Cluster ${count(number)}`], previous: link(cluster.pairs[at - 1]), next: link(cluster.pairs[at + 1]),
    position: t`pair ${count(at + 1)} of ${count(cluster.pairs.length)}`,
  });
}

/** A pair of two members, with texts and features if the report has them, and the `place` that it is shown at. */
function pairWithTexts(pair, members, place) {
  const [left, right] = members.map((m) => ({ ...m, ...(m.text >= 0 ? textOf(m.text) : { text: null }) }));
  const both = left.text !== null && right.text !== null;
  return {
    ...pair, a: left, b: right, numbers: pair.counts, features: both ? joinFeatures(left, right) : null,
    passages: both ? sharedPassages(members, [left, right]) : null, notes: [],
    missing: both ? "" : overview.texts ? "The texts of these pages are not in the report: it holds those of the largest clusters only."
      : "This report holds no texts, so that it can be shared. Run retold dedup with --report-text, or ask for this pair alone:",
    ...place,
  };
}

function textOf(slot) {
  const raw = texts.at(slot);
  if (!raw) return { text: null };
  const features = raw.features.map(([start, end, key, kind, df, label]) => ({ start, end, key, kind, df, label }));
  return { title: raw.title || undefined, text: raw.text, cut: raw.cut, shared: raw.shared, spots: features };
}

/** The features of two texts, joined by key: those that count, then common ones, deleted ones and those of one side. */
function joinFeatures(a, b) {
  const features = new Map();
  for (const [side, page] of [["a", a], ["b", b]]) {
    for (const spot of page.spots) {
      if (!features.has(spot.key)) features.set(spot.key, { name: spot.label || page.text.slice(spot.start, spot.end), df: spot.df, kind: 0, a: [], b: [] });
      const feature = features.get(spot.key);
      feature.kind = Math.max(feature.kind, spot.kind);
      feature[side].push([spot.start, spot.end]);
    }
  }
  const list = [...features.values()];
  for (const f of list) f.role = !f.a.length || !f.b.length ? "alone" : ["shared", "common", "deleted"][f.kind];
  const order = { shared: 0, common: 1, deleted: 2, alone: 3 };
  return list.sort((x, y) => order[x.role] - order[y.role]);
}

/** The passages that the texts of two members share, in the order of the first: the one in the later slot has them. */
function sharedPassages(members, texts) {
  const slots = members.map((member) => member.text);
  const isSwapped = slots[0] > slots[1];
  const row = texts[isSwapped ? 0 : 1].shared.find(([slot]) => slot === Math.min(...slots));
  return (row ? row[1] : []).map(([moved, ...places]) => {
    const [low, high] = [places.slice(0, 2), places.slice(2)];
    return { kind: moved ? "moved" : "same", a: isSwapped ? high : low, b: isSwapped ? low : high };
  }).sort((x, y) => x.a[0] - y.a[0]);
}

const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;
/** The folder that this report was opened from, if it was opened as a file. */
const folder = () => location.protocol === "file:" ? quoted(decodeURIComponent(location.pathname).replace(/\/[^/]*$/, "")) : "OUT";
const explainLine = (pair) => `retold explain ${folder()} ${quoted(pair.a.id)} ${quoted(pair.b.id)}`;

function verdictLine(pair) {
  if (pair.exact) return "The two texts are equal after folding: duplicates, whatever the method says.";
  return { duplicate: "The pages are duplicates.", contains: "Page A contains page B.", contained_by: "Page B contains page A.",
    overlaps: "The pages overlap: each says something of its own besides." }[pair.relation] || "The pages are not related.";
}

/** How much each page says that the other does not. */
function ownLine(pair) {
  if (!pair.own_a && !pair.own_b) return null;
  const own = (name, n) => (n ? t`Page ${name} has ${plural(n, "word")} in passages of its own.` : t`Page ${name} has no passage of its own.`);
  return el("p", {}, own("A", pair.own_a), " ", own("B", pair.own_b));
}

function checkLine(check) {
  const ok = holds(check);
  const outcome = check.outcomes ? check.outcomes[ok ? 0 : 1] : ok ? "" : "not related";
  const kind = check.outcomes ? "neutral" : ok ? "ok" : "fail";
  return el("li", { class: kind }, el("code", {}, formula(check)), outcome ? el("span", { class: "outcome" }, `→ ${told(outcome)}`) : null, el("small", {}, told(check.meaning)));
}

function pageCard(name, page, pair) {
  const facts = [page.chars !== undefined ? plural(page.chars, "character") : "", page.keys !== undefined ? plural(page.keys, "feature") : "", page.site ? el("bdi", {}, page.site) : "", page.date || ""].filter(Boolean);
  return el("div", { class: "card" }, el("span", { class: `letter ${name}` }, name), el("div", {},
    page.title ? el("strong", {}, el("bdi", {}, page.title)) : null, el("div", {}, pageId(page.id)), el("small", {}, facts.map((fact, at) => [at ? " · " : "", fact]))));
}

function frequencies(pair) {
  const { plain, plainMore, common, commonMore, deleted } = pair.numbers;
  if (!plain.length && !common.length && !deleted.length) return null;
  const chips = (dfs, more, kind) => el("span", { class: "chips" }, dfs.map((df) => el("span", { class: `chip ${kind}` }, count(df))), more ? el("span", { class: "chip more" }, t`and ${count(more)} more`) : null);
  return section("Shared features by document frequency",
    el("p", { class: "note" }, "Document frequency of each shared feature, rarest first: the rarer, the stronger the evidence."),
    plain.length ? el("p", {}, chips(plain, plainMore, "plain")) : null,
    common.length ? el("p", { class: "grey" }, "Common in the collection, not evidence by themselves: ", chips(common, commonMore, "common")) : null,
    deleted.length ? el("p", { class: "grey" }, "Pruned as noise, not counted: ", chips(deleted, 0, "deleted")) : null);
}

const roleNames = { shared: "", common: "common: not evidence by itself", deleted: "pruned as noise: not counted", alone: "on one page only" };

function featureTable(pair, focus) {
  const shared = pair.features.filter((f) => f.role !== "alone");
  const alone = pair.features.length - shared.length;
  if (!pair.features.length) return null;
  const dfs = shared.some((f) => f.df !== null && f.df !== undefined);
  const rows = shared.slice(0, 400).map((feature) => el("tr", { class: feature.role === "shared" ? "" : "grey" },
    el("td", {}, feature.a.length && pair.a.text ? el("button", { type: "button", class: "linkish", onclick: () => focus(feature) }, el("bdi", {}, feature.name)) : el("bdi", {}, feature.name || "?"),
      roleNames[feature.role] ? el("small", {}, roleNames[feature.role]) : null),
    dfs ? el("td", { class: "num" }, feature.df ? count(feature.df) : "") : null,
    el("td", { class: "num" }, count(feature.a.length)), el("td", { class: "num" }, count(feature.b.length))));
  return section("Shared features", shared.length
    ? el("div", { class: "tall", tabindex: 0, role: "region", "aria-label": "Shared features" }, el("table", { class: "list features" }, el("thead", {}, el("tr", {}, el("th", {}, "feature"), dfs ? el("th", { class: "num", title: "different pages that have it" }, "document frequency") : null, el("th", { class: "num" }, "in A"), el("th", { class: "num" }, "in B"))), el("tbody", {}, rows)))
    : el("p", { class: "note" }, "The pages share no feature."),
    dfs ? el("p", { class: "note" }, "Document frequency: number of different pages with the feature; copies count once.") : null,
    shared.length > rows.length ? el("p", { class: "note" }, t`and ${count(shared.length - rows.length)} more`) : null,
    alone ? el("p", { class: "note" }, t`${plural(alone, "feature")} on one page only.`) : null);
}

/** A text with its passages and features marked, as elements. `side` is "a" or "b". */
function markedText(pair, side) {
  const page = pair[side];
  const cuts = new Set([0, page.text.length]);
  const add = ([start, end]) => { cuts.add(start); cuts.add(Math.min(end, page.text.length)); };
  const passages = (pair.passages || []).map((p, number) => ({ number, kind: p.kind, start: p[side][0], end: p[side][1] })).sort((x, y) => x.start - y.start);
  const features = pair.features.flatMap((f, number) => (f.role === "alone" ? [] : f[side].map(([start, end]) => ({ number, role: f.role, start, end })))).sort((x, y) => x.start - y.start);
  passages.forEach((p) => add([p.start, p.end]));
  features.forEach((f) => add([f.start, f.end]));
  for (let at = page.text.indexOf("\n"); at >= 0; at = page.text.indexOf("\n", at + 1)) add([at, at + 1]);
  const sorted = [...cuts].sort((x, y) => x - y);
  const root = el("div", { class: page.text.length > 50000 ? "text long" : "text", lang: page.lang || null });
  let block = el("p", { dir: "auto" });
  let [p, f] = [0, 0];
  for (let at = 0; at + 1 < sorted.length; at++) {
    const [start, end] = [sorted[at], sorted[at + 1]];
    const piece = page.text.slice(start, end);
    if (piece === "\n") { root.append(block); block = el("p", { dir: "auto" }); continue; }
    while (p < passages.length && passages[p].end <= start) p++;
    while (f < features.length && features[f].end <= start) f++;
    const passage = p < passages.length && passages[p].start <= start ? passages[p] : null;
    const feature = f < features.length && features[f].start <= start ? features[f] : null;
    if (!passage && !feature) { block.append(piece); continue; }
    const classes = [passage ? passage.kind : "", feature ? `f ${feature.role}` : ""].join(" ");
    block.append(el("mark", { class: classes, "data-p": passage ? passage.number : null, "data-f": feature ? feature.number : null }, piece));
  }
  root.append(block);
  if (page.cut) root.append(el("p", { class: "note" }, "… the text goes on; the report holds its beginning only."));
  return root;
}

/** Scrolls what belongs together in both texts to one height, and marks it. */
function linkTexts(left, right) {
  const boxes = [left, right];
  const focus = (attribute, number, from) => {
    boxes.forEach((box) => box.querySelectorAll(".now").forEach((node) => node.classList.remove("now")));
    const found = boxes.map((box) => [...box.querySelectorAll(`[data-${attribute}="${number}"]`)]);
    found.flat().forEach((node) => node.classList.add("now"));
    found.forEach((nodes, at) => {
      if (!nodes.length || boxes[at] === from) return;
      const offset = from && found[1 - at].length ? found[1 - at][0].getBoundingClientRect().top - from.getBoundingClientRect().top : boxes[at].clientHeight / 3;
      boxes[at].scrollTop += nodes[0].getBoundingClientRect().top - boxes[at].getBoundingClientRect().top - Math.max(20, Math.min(offset, boxes[at].clientHeight - 60));
    });
  };
  boxes.forEach((box) => box.addEventListener("click", (e) => {
    const mark = e.target.closest("mark");
    if (!mark) return;
    if (mark.dataset.p !== undefined) focus("p", mark.dataset.p, box);
    else focus("f", mark.dataset.f, box);
  }));
  return focus;
}

let stepPassage = null;

function textsSection(pair) {
  stepPassage = null;
  if (!pair.features || !pair.a.text || !pair.b.text) {
    const line = pair.missing && !overview?.texts ? el("pre", {}, explainLine(pair)) : null;
    return { node: pair.missing ? section("Texts", el("p", { class: "note" }, pair.missing), line) : null, focus: () => {} };
  }
  const [left, right] = ["a", "b"].map((side) => el("div", { class: "column", tabindex: 0, role: "region", "aria-label": t`Text of page ${side.toUpperCase()}` }, markedText(pair, side)));
  const focus = linkTexts(left, right);
  const passages = pair.passages || [];
  let at = -1;
  stepPassage = (by) => { if (passages.length) { at = (at + by + passages.length) % passages.length; focus("p", at, null); } };
  const letters = passages.reduce((sum, p) => sum + p.a[1] - p.a[0], 0);
  const head = (name, page) => el("h3", {}, el("span", { class: `letter ${name}` }, name), " ", pageId(page.id));
  return { focus: (feature) => focus("f", pair.features.indexOf(feature), null), node: section("Texts side by side",
    el("p", { class: "note" }, t`${plural(passages.length, "shared passage")}, ${plural(letters, "character")} in all (${percent(letters, pair.a.text.length)} of A’s text). Click one to see it on the other side; n and p go through them.`),
    legend(["same", "shared"], ["moved", "shared, elsewhere in the order"], ["f", "feature"], ["f grey", "noise"]),
    el("div", { class: "columns" }, el("div", {}, head("A", pair.a), left), el("div", {}, head("B", pair.b), right))) };
}

function showPair(pair) {
  const texts = textsSection(pair);
  const moves = el("p", { class: "back" }, pair.back ? el("a", { href: pair.back[0] }, `← ${tr(pair.back[1])}`) : null,
    pair.position ? el("span", { class: "step" }, pair.previous ? el("a", { href: pair.previous, id: "previous" }, "‹ previous") : null, ` ${pair.position} `, pair.next ? el("a", { href: pair.next, id: "next" }, "next ›") : null) : null);
  show(el("div", { class: "pair" }, moves,
    el("h1", { class: `verdict ${pair.exact ? "duplicate" : pair.relation || "none"}` }, verdictLine(pair)),
    el("div", { class: "cards" }, pageCard("A", pair.a, pair), pageCard("B", pair.b, pair)),
    pair.remark ? el("p", { class: "flag" }, told(pair.remark)) : null,
    section("How the verdict was made", el("ul", { class: "checks" }, pair.checks.map(checkLine)), ownLine(pair), pair.notes.map((note) => el("p", {}, told(note)))),
    pair.features ? featureTable(pair, texts.focus) : frequencies(pair),
    texts.node));
  window.scrollTo(0, 0);
}
