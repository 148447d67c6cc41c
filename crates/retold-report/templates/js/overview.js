// The overview: what was found, in numbers and pictures.

function tiles() {
  const r = overview.records;
  const pages = r.kept + r.dropped;
  return el("dl", { class: "tiles" },
    tile("pages read", count(pages), t`${count(r.read)} records`),
    tile("copies dropped", count(r.dropped), t`${percent(r.dropped, pages)} of pages`, "strong"),
    tile("bytes saved", bytes(overview.bytes.dropped), t`${percent(overview.bytes.dropped, overview.bytes.read)} of input`, "strong"),
    tile("pages kept", count(r.kept)),
    tile("clusters", count(overview.clusters), t`largest: ${plural(overview.largest_cluster, "page")}`),
    tile("duplicate pairs", count(overview.relations.duplicate)),
    tile("containing pairs", count(overview.relations.contains)),
    overview.relations.overlaps ? tile("overlapping pairs", count(overview.relations.overlaps), overview.parameters.drop === "overlaps" ? "dropped too" : "nothing is dropped for them") : null,
    tile("rejected", count(r.rejected), r.skipped ? t`${count(r.skipped)} skipped` : r.rejected ? "could not be read" : "all could be read", r.rejected ? "warn" : ""));
}

/** Clusters by a number of at least 2 of which each has so many: pages, or sites. */
function sizeChart(bars, title, name, note) {
  if (!bars.length) return null;
  // Bars are equally wide in the logarithm of the size.
  const [low, high] = [Math.log(2), Math.log(bars[bars.length - 1][1] + 1)];
  const at = (size) => (Math.log(size) - low) / (high - low);
  const ticks = (width) => {
    const wanted = Math.max(2, Math.floor(width / 48));
    const sizes = [2, 3, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6].filter((n) => n <= bars[bars.length - 1][1]);
    return thin(sizes, wanted).map((n) => [at(n) + (at(n + 1) - at(n)) / 2, short(n)]);
  };
  return section(title,
    barChart(bars.map(([from, to, n]) => ({
      at: at(from), to: at(to + 1), parts: [[n, "one"]],
      label: t`${plural(n, "cluster")} of ${from === to ? count(from) : t`${count(from)} to ${count(to)}`} ${tr(name)}`,
    })), { title: t`Number of clusters by their ${tr(name)}, both axes logarithmic`, x: t`${tr(name)} of a cluster (logarithmic)`, y: "clusters (logarithmic)", log: true, xTicks: ticks }),
    note ? el("p", { class: "note" }, note) : null);
}

/** How many sites tell the same: clusters of at least two. */
function sitesChart() {
  const bars = overview.of_sites;
  const shown = bars.reduce((sum, bar) => sum + bar[2], 0);
  return sizeChart(bars, "Clusters by sites", "sites", t`${plural(shown, "cluster has", "clusters have")} pages of several sites; ${count(overview.clusters - shown)} of one or of no known site.`);
}

function similarityChart() {
  const { duplicate, contains, overlaps } = overview.similarities;
  const n = duplicate.length;
  if (!overview.pairs) return null;
  // Nothing lies far below the threshold: show from the last tenth before what there is.
  const first = Math.min(duplicate.findIndex((d, at) => d || contains[at] || overlaps[at]), overview.threshold === null ? n : Math.floor(overview.threshold * n));
  const from = Math.max(0, Math.floor(first / n * 10 - 1) / 10);
  const at = (value) => (value - from) / (1 - from);
  const bars = duplicate.map((d, bar) => ({
    at: at(bar / n), to: at((bar + 1) / n), parts: [[overlaps[bar], "three"], [contains[bar], "two"], [d, "one"]],
    label: t`similarity ${(bar / n).toFixed(2)} to ${((bar + 1) / n).toFixed(2)}: ${plural(d, "duplicate pair")}, ${plural(contains[bar], "containing pair")}, ${plural(overlaps[bar], "overlapping pair")}`,
  })).slice(Math.round(from * n));
  const isBelow = (bar) => overview.threshold !== null && (bar + 1) / n <= overview.threshold;
  const below = duplicate.reduce((sum, d, bar) => sum + (isBelow(bar) ? d + contains[bar] + overlaps[bar] : 0), 0);
  const marker = overview.threshold === null ? null : { at: at(overview.threshold), text: t`threshold ${overview.threshold}` };
  const ticks = () => { const all = []; for (let v = from; v < 1.001; v += 0.1) all.push([at(v), v.toFixed(1)]); return all; };
  return section("Pairs by similarity",
    barChart(bars, { title: "Number of related pairs by similarity, with the threshold", x: "similarity of the pair", y: "pairs (logarithmic)", log: true, xTicks: ticks, marker }),
    legend(["one", "duplicate"], ["two", "one contains the other"], ["three", "overlap: each says something of its own"]),
    below ? el("p", { class: "note" }, t`${plural(below, "pair")} left of the threshold: another test of the method accepted them; the page of the pair names it.`) : null);
}

function matrixTable() {
  const { sites, whole: full, part, more, dated } = overview.matrix;
  if (!sites.length) return null;
  const most = Math.max(1, ...full.flat().map((n, at) => n + part.flat()[at]));
  const head = el("tr", {}, el("th", { class: "corner" }, "repeats a page of →"),
    sites.map((site, at) => el("th", { scope: "col" }, el("abbr", { title: site }, at + 1))));
  const rows = sites.map((site, row) => el("tr", {},
    el("th", { scope: "row" }, el("span", { class: "n" }, row + 1), el("bdi", {}, site)),
    sites.map((of, column) => {
      const [w, p] = [full[row][column], part[row][column]];
      if (!w && !p) return el("td", { class: row === column ? "self" : "" }, "");
      const cell = el("td", { class: row === column ? "self" : "heat", tabindex: 0,
        title: t`${site}: ${plural(w, "page")} repeat a page of ${row === column ? tr("the same site") : of} whole, ${count(p)} in part` },
        el("b", {}, w ? short(w) : ""), p ? el("i", {}, `+${short(p)}`) : null);
      cell.style.setProperty("--heat", (0.12 + 0.6 * Math.log(w + p + 1) / Math.log(most + 1)).toFixed(3));
      return cell;
    })));
  const strongest = sites.flatMap((site, row) => sites.map((of, column) => ({ site, of, w: full[row][column], p: part[row][column], self: row === column })))
    .filter((link) => !link.self && link.w + link.p).sort((a, b) => b.w + b.p - a.w - a.p).slice(0, 8);
  return section("Who reprints whom",
    el("p", { class: "note" }, "Pages of the row’s site that repeat a page of the column’s site: ", el("b", {}, "whole"), " and ", el("i", {}, "+ in part"), ". ",
      dated ? "If both pages have dates, the later repeats the earlier; otherwise duplicates count both ways and a contained page repeats the page that contains it."
        : "There are no dates, so duplicates count both ways; a contained page repeats the page that contains it.",
      more ? t` ${plural(more, "further site")} with fewer pages in clusters are not shown.` : ""),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Matrix of sites" }, el("table", { class: "matrix" }, el("thead", {}, head), el("tbody", {}, rows))),
    strongest.length ? barTable(strongest.map((l) => ({ name: el("span", {}, el("bdi", {}, l.site), " ← ", el("bdi", {}, l.of)), value: l.w + l.p, text: t`${count(l.w)} whole, ${count(l.p)} in part` })), "The strongest links between sites") : null);
}

function timelineChart() {
  const line = overview.timeline;
  if (!line) return null;
  const n = line.bars.length;
  const bars = line.bars.map(([name, kept, copies], at) => ({
    at: at / n, to: (at + 1) / n, parts: [[kept, "one"], [copies, "two"]],
    label: t`${name}: ${plural(kept, "page")} kept, ${count(copies)} dropped as copies`,
  }));
  const ticks = (width) => toTheEnd(line.bars.map(([name], at) => [(at + 0.5) / n, name]), Math.max(2, Math.floor(width / 90)));
  const left = [line.undated ? t`${plural(line.undated, "page")} without a date` : "", line.earlier ? t`${plural(line.earlier, "page")} before the first bar` : "", line.later ? t`${plural(line.later, "page")} after the last bar` : ""].filter(Boolean);
  return section("Over time",
    barChart(bars, { title: "Pages by date", x: t`date of the page, by ${told(line.unit)}`, y: "pages", xTicks: ticks }),
    legend(["one", "kept"], ["two", "dropped as copies"]), left.length ? el("p", { class: "note" }, t`Not shown: ${left.join(tr(", "))}.`) : null);
}

function flaggedTable() {
  const flags = overview.flagged;
  if (!flags.length) return null;
  return section("Check these clusters first",
    el("p", { class: "note" }, "A cluster is flagged when under half of its pairs match at 20 pages or more, when it is very large, or when more than a third of a site, or of fifty consecutive pages, was dropped for one of its pages."),
    el("ul", { class: "rows" }, flags.slice(0, 12).map((flag) => el("li", {},
      el("a", { href: `#/cluster/${flag.cluster}` }, t`cluster ${count(flag.cluster)}`), " ", plural(flag.pages, "page"), " around ", pageId(flag.canonical), ": ", toldInRow(flag.reason)))),
    overview.flagged_in_all > 12 ? el("p", {}, el("a", { href: "#/clusters?flag=1" }, t`All ${count(overview.flagged_in_all)} flagged clusters`)) : null);
}

function gainsTable() {
  if (!overview.gains.length) return null;
  return section("Sites that stand for others",
    el("p", { class: "note" }, "Pages of other sites that were dropped for pages of these. A site that was first gains like this, and so does one that copied others and added something."),
    barTable(overview.gains.map((gain) => ({ name: el("bdi", {}, gain.site), value: gain.pages,
      text: t`${count(gain.pages)} of ${plural(gain.sites, "site")}` })), "Pages dropped for another site’s"));
}

/** For whose pages most of what a site or an input lost went. */
function mostFor(loss, unnamed) {
  const name = loss.most.name === loss.name ? "others of its own" : loss.most.name ? el("bdi", {}, loss.most.name) : unnamed;
  return [name, t`: ${count(loss.most.pages)}`];
}

function lossTable(losses, more, kind, unnamed) {
  const share = (loss) => {
    const bar = el("span", { class: "bar" });
    bar.style.width = `${Math.max(0.5, 100 * loss.dropped / loss.read)}%`;
    return bar;
  };
  return [el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t`Dropped pages by ${tr(kind)}` }, el("table", { class: "list losses" },
    el("thead", {}, el("tr", {}, el("th", {}, kind), el("th", { class: "num" }, "pages"), el("th", { class: "num" }, "dropped"), el("th", {}, "share"), el("th", { class: "num" }, "own words lost"), el("th", {}, "most for"))),
    el("tbody", {}, losses.map((loss) => el("tr", {},
      el("td", {}, el("bdi", { class: "id" }, loss.name)), el("td", { class: "num" }, count(loss.read)),
      el("td", { class: "num" }, `${count(loss.dropped)} (${percent(loss.dropped, loss.read)})`), el("td", { class: "share" }, share(loss)),
      el("td", { class: "num" }, count(loss.lost)), el("td", {}, mostFor(loss, unnamed))))))),
    more ? el("p", { class: "note" }, t`${kind === "site" ? plural(more, "further site") : plural(more, "further input")} lost pages, too.`) : null];
}

function lossesSection() {
  const { more_inputs, sites, more_sites } = overview.losses;
  // The only input lost what the run dropped.
  const inputs = overview.losses.inputs.filter((loss) => loss.read < overview.records.kept + overview.records.dropped);
  if (!inputs.length && !sites.length) return null;
  return section("Where pages were dropped",
    el("p", { class: "note" }, "The worst first, by the number of dropped pages times their share."),
    sites.length ? lossTable(sites, more_sites, "site", "pages without a site") : null,
    inputs.length ? lossTable(inputs, more_inputs, "input", "the index") : null);
}

/** Their reasons are those of rejects.jsonl, in the same words. */
function rejectsTable() {
  const { all, reasons, rows } = overview.rejects;
  if (!all) return section("Rejects", el("p", { class: "note" }, "Every record could be read."));
  return section("Rejects",
    barTable(reasons.slice(0, 8).map(([reason, n]) => ({ name: el("span", { lang: "en" }, prose(reason)), value: n, text: count(n) })), "Reasons"),
    el("details", {}, el("summary", {}, all > rows.length ? t`The first ${count(rows.length)} of ${count(all)} one by one` : t`All ${count(all)} one by one`),
      el("table", { class: "list" }, el("thead", {}, el("tr", {}, ["file", "record", "reason"].map((name) => el("th", {}, name)))),
        el("tbody", {}, rows.map(([source, record, reason]) => el("tr", {}, el("td", {}, pageId(source)), el("td", { class: "num" }, count(record)), el("td", { lang: "en" }, prose(reason))))))));
}

function settings() {
  const p = overview.parameters;
  const flat = Object.entries({ ...p, ...(p.params || {}) }).filter(([name, value]) => name !== "params" && value !== null);
  return el("details", { class: "settings" }, el("summary", {}, t`Method ${p.method}, its parameters and all settings`),
    el("p", { class: "note" }, "Inputs: ", overview.inputs.flatMap((input, at) => [at ? ", " : "", pageId(input)])),
    el("dl", { class: "pairs" }, flat.map(([name, value]) => [el("dt", {}, el("bdi", {}, name)), el("dd", {}, el("bdi", {}, Array.isArray(value) ? value.join(", ") : String(value)))])));
}

function groupsNote() {
  const groups = overview.large_components;
  return groups.length ? el("p", { class: "note" }, t`${plural(groups.length, "family", "families")} of very many pages: only the pairs that decide what is dropped are listed.`) : null;
}

function showOverview() {
  show(el("h1", {}, overview.records.dropped ? t`${plural(overview.records.dropped, "copy", "copies")} found` : "What was found"),
    lostSection(), randomSection(), tiles(), flaggedTable(), gainsTable(), lossesSection(),
    el("div", { class: "two-up" }, sizeChart(overview.sizes, "Clusters by size", "pages"), similarityChart()), groupsNote(), matrixTable(),
    el("div", { class: "two-up" }, sitesChart(), timelineChart(), runSection()), rejectsTable(), settings());
}
