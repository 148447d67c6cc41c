// One passage: what it says, when it stood where, and who has it from whom.

/** Pages with a date as dots over time, the first one marked; lines from each to where it was before. */
function timeline(places, sources) {
  const firstOn = new Map(places.toReversed().map((place) => [place.page.at, place.number]));
  const dated = places.filter((place) => place.page.time !== null && firstOn.get(place.page.at) === place.number);
  if (!dated.length) return null;
  const [from, to] = [dated[0].page.time, dated[dated.length - 1].page.time];
  const chart = drawn((width) => {
    const inner = width - 40;
    const x = (time) => 20 + (to === from ? 0.5 : (time - from) / (to - from)) * inner;
    const heights = new Map();
    const at = new Map(dated.map((place) => {
      const column = Math.round(x(place.page.time) / 10);
      const level = heights.get(column) || 0;
      heights.set(column, level + 1);
      return [place.number, { x: column * 10, level }];
    }));
    const step = Math.min(11, 150 / Math.max(...heights.values()));
    const base = 26 + step * Math.max(...heights.values());
    const height = base + 86;
    const y = (level) => base - 8 - level * step;
    const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": t`${plural(dated.length, "page")} from ${dated[0].page.date} to ${dated[dated.length - 1].page.date}` });
    for (const source of sources) {
      const [one, other] = [source.from, source.place].map((place) => at.get(firstOn.get(places[place].page.at)));
      if (!source.isLater || !one || !other || one.x === other.x) continue;
      const deep = base + 10 + Math.min(44, Math.abs(other.x - one.x) / 4);
      root.append(svg("path", { class: "from", d: `M ${one.x} ${base} Q ${(one.x + other.x) / 2} ${2 * deep - base} ${other.x} ${base}` }));
    }
    root.append(svg("line", { class: "axis", x1: 10, x2: width - 10, y1: base, y2: base }));
    // The first comes last, over the others.
    for (const place of dated.toReversed()) {
      const [{ x: cx, level }, isFirst] = [at.get(place.number), place === dated[0]];
      root.append(svg("circle", { class: isFirst ? "two" : "one", cx, cy: y(level), r: isFirst ? 5 : Math.max(1.5, step / 2 - 1) }, svg("title", {}, `${place.page.date} ${place.page.id}`)));
    }
    const first = at.get(dated[0].number);
    root.append(svg("text", { class: "markername", x: first.x - 6, y: 12, "text-anchor": first.x > width / 2 ? "end" : "start" }, t`first: ${dated[0].page.date}`));
    root.append(svg("text", { class: "tick", x: 10, y: height - 6 }, dated[0].page.date), svg("text", { class: "tick", x: width - 10, y: height - 6, "text-anchor": "end" }, dated[dated.length - 1].page.date));
    return root;
  });
  chart.classList.add("timeline");
  return chart;
}

/** How much of two places matches; what counts in scripts without spaces are characters. */
const matches = (source) => t`${plural(source.matched, "word or character", "words or characters")} match`;

function placesTable(passage, { places, sources }) {
  const sourceOf = new Map(sources.map((source) => [source.place, source]));
  const row = (place) => {
    const source = sourceOf.get(place.number);
    const how = source ? [source.isLater ? source.matched ? "from " : "after " : "also on ", el("a", { href: `#/pair/${passage.at}/${source.number}` }, pageId(places[source.from].page.id)), source.matched ? el("small", {}, " ", matches(source)) : ""] : "";
    const isFirst = place.number === 0 && place.page.time !== null;
    return el("tr", {}, el("td", { class: "num date" }, place.page.date || ""),
      el("td", {}, el("a", { href: `#/page/${place.page.at}/${passage.at}` }, pageId(place.page.id)), isFirst ? [" ", badge("first", "stays")] : null,
        el("span", { class: "under" }, place.page.site ? [el("bdi", {}, place.page.site), " · "] : "", t`characters ${count(place.begin)}–${count(place.end)}`, place.page.copies ? [" · ", t`${plural(place.page.copies, "page")} with this text (copies.jsonl)`] : "")),
      el("td", {}, how));
  };
  const left = passage.places - places.length;
  return section("Who has it, from whom",
    el("table", { class: "list places" }, el("thead", {}, el("tr", {}, el("th", {}, "date"), el("th", {}, "page"), el("th", {}, "side by side"))), el("tbody", {}, places.map(row))),
    el("p", { class: "note" }, "“From”: of the pages with an earlier date the one whose text is the most like it. What stood between the two and is not in the collection, no one can tell.", sources.some((source) => source.isLater && !source.matched) ? " “After”: no earlier page was aligned with this one, as one of the two repeats a third page; the first page is named." : "", left > 0 ? t` ${plural(left, "further place")} stand in passages.jsonl.` : ""));
}

function moves(back, at, all, link) {
  const to = (number, id, text) => (number < 0 || number >= all ? null : el("a", { href: link(number), id }, text));
  return el("p", { class: "back" }, el("a", { href: back[0] }, `← ${tr(back[1])}`), el("span", { class: "step" }, to(at - 1, "previous", "‹ previous"), " ", t`${count(at + 1)} of ${count(all)}`, " ", to(at + 1, "next", "next ›")));
}

function showPassage(at) {
  const passage = passages[at];
  if (!passage) return show(el("p", { class: "empty" }, "The report has no such passage; passages.jsonl has all."));
  const detail = detailOf(at);
  const chart = timeline(detail.places, detail.sources);
  const undated = new Set(detail.places.filter((place) => place.page.time === null).map((place) => place.page.at)).size;
  const whole = [...passage.text].length >= passage.chars;
  show(moves(["#/passages", "All passages"], at, passages.length, (number) => `#/passage/${number}`),
    el("h1", {}, t`In ${inPages(passage)}`),
    el("section", {}, el("blockquote", { dir: "auto" }, passage.text.split("\n").map((line) => el("p", { dir: "auto" }, line)), whole ? null : el("p", {}, "…")),
      el("p", { class: "note" }, t`${plural(passage.chars, "character")}, as on `, pageId(passage.first.id), passage.first.time === null ? "" : t`, which has it first: ${passage.first.date}`, passage.boilerplate ? [". ", badge("boilerplate", "warn"), " Four fifths of the pages are of one site."] : null)),
    chart ? section("Over time", chart, legend(["two", "first"], ["one", "later"]), undated ? el("p", { class: "note" }, t`Not shown: ${t`${plural(undated, "page")} without a date`}.`) : null) : null,
    placesTable(passage, detail));
  window.scrollTo(0, 0);
}
