// Dropped pages: what is lost with them, and some of them to look at.

/** Rows of the table of what is lost that are shown at once. */
const lostAtOnce = 10;

const words = (n) => plural(n, "word");

/** What a dropped page is to the page that it was dropped for. */
function asWhat(drop) {
  if (drop.relation === "collection") return t`collection of ${plural(drop.parts, "page")}, the largest:`;
  return drop.relation === "duplicate" ? "duplicate of" : relationNames[drop.relation] || drop.relation;
}

function dropRow(drop, number) {
  const page = pageName(drop.id, drop.title);
  return el("tr", {},
    el("td", { class: "num" }, count(drop.lost)),
    el("td", {}, drop.pair ? el("a", { href: `#/drop/${number}` }, page) : page),
    el("td", {}, el("span", { class: `rel ${drop.relation}` }, asWhat(drop)), el("span", { class: "under" }, pageName(drop.canonical, drop.canonical_title))));
}

function dropTable(drops, first) {
  return el("table", { class: "list drops" },
    el("thead", {}, el("tr", {}, el("th", { class: "num" }, "own words"), el("th", {}, "dropped page"), el("th", {}, "dropped for"))),
    el("tbody", {}, drops.map((drop, at) => dropRow(drop, first + at))));
}

function lostSection() {
  const { lost, drops } = overview;
  if (!drops.random.length) return null;
  if (!drops.counted) return section("What was lost", el("p", { class: "note" }, "This method does not count what dropped pages say that others do not."));
  if (!lost.pages) return section("What was lost", el("p", { class: "note" }, "Nothing: no dropped page has a passage that the page that it was dropped for does not have."));
  const more = drops.lost.slice(lostAtOnce);
  return section("What was lost",
    el("p", { class: "note" }, t`${plural(lost.pages, "dropped page takes", "dropped pages take")} ${words(lost.words)} of ${lost.pages === 1 ? "its" : "their"} own along, which the page that stays does not have; at most ${words(lost.largest)} each.`,
      lost.pages > drops.lost.length ? t` These are the ${count(drops.lost.length)} that lose most; dropped.jsonl has all.` : ""),
    dropTable(drops.lost.slice(0, lostAtOnce), 0),
    more.length ? el("details", {}, el("summary", {}, t`${count(more.length)} more`), dropTable(more, lostAtOnce)) : null);
}

function randomSection() {
  const { random, lost } = overview.drops;
  if (!random.length) return null;
  return section(t`${plural(random.length, "dropped page")} to look at`,
    el("p", { class: "note" }, "Chosen at random, the same ones each time, from the dropped pages that are no exact copies."),
    dropTable(random, lost.length));
}

let dropDetails = null;

/** A dropped page beside the one that it was dropped for. */
function pairOfDrop(number) {
  dropDetails = dropDetails || chunk("drops", 0) || [];
  const raw = dropDetails[number];
  if (!raw) return null;
  const { lost, random } = overview.drops;
  const all = lost.concat(random);
  const link = (at) => (all[at] && all[at].pair ? `#/drop/${at}` : null);
  return pairWithTexts(pairOf(raw[1]), raw[0].map(memberOf), {
    back: ["#/", "Overview"], previous: link(number - 1), next: link(number + 1), position: t`dropped page ${count(number + 1)} of ${count(all.length)}`,
  });
}
