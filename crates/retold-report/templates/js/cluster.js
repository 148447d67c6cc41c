// One cluster: its pages, which of them stays and why, and its pairs.

const fates = ["kept", "dropped", "dropped", "dropped"];
const dropReasons = ["", "duplicate of ", "contained in ", "overlaps "];

/** Why the canonical page is the one that stands for the cluster, in words. */
function whyCanonical(cluster) {
  const [page] = cluster.members;
  switch (overview.parameters.canonical) {
    case "longest": return t`Among the kept pages it has the longest text: ${plural(page.chars, "character")}.`;
    case "earliest": return page.date ? t`Among the kept pages it has the earliest date: ${page.date}.` : "No kept page of the cluster has a date, so the page with the longest text represents it.";
    case "id": case "first": return "Its id comes first among the kept pages.";
    default: return t`Among the kept pages it comes first by ${overview.parameters.canonical.split(",").map(ruleInWords).map(tr).join(tr(", then "))}; after that, by the longest text.`;
  }
}

/** What a rule of --canonical prefers, in words. */
function ruleInWords(rule) {
  const [name, field, order] = rule.split(":");
  switch (name) {
    case "field": return order === "desc" ? t`the largest ${field}` : t`the smallest ${field}`;
    case "longest": return "the longest text";
    case "earliest": return "the earliest date";
    case "id": case "first": return "id";
    case "https": return "an https address";
    case "url-length": return "the shortest address";
    case "response-before-derived": return "being fetched, not derived";
    case "rank": return "the rank of its site or source";
    default: return rule;
  }
}

function memberRow(cluster, place, member, pairs) {
  const pair = pairs.get(member.at);
  const fate = member.at === 0 ? "canonical" : fates[member.fate];
  const target = member.keptFor >= 0 ? cluster.members[member.keptFor] : null;
  const why = member.fate === 0 ? (member.at === 0 ? "" : "no reported relation to a page that stays")
    : [dropReasons[member.fate], member.keptFor === 0 ? "the canonical page" : target ? pageId(target.id) : "another page of the cluster"];
  return el("tr", {},
    el("td", {}, pair ? el("a", { href: `#/pair/${clusters.number[place]}/${pair.a}/${pair.b}` }, pageName(member.id, member.title)) : pageName(member.id, member.title),
      el("span", { class: "under" }, badge(fate, member.at === 0 ? "canonical" : member.fate ? "gone" : "stays"), " ", why),
      // Not in the column of numbers, which does not break.
      pair && pair.a !== 0 && pair.b !== 0 ? el("span", { class: "under" }, "similarity to ", pageId(cluster.members[pair.a === member.at ? pair.b : pair.a].id)) : null),
    el("td", { class: "num" }, pair ? ratio(pair.similarity) : ""),
    el("td", { class: "num" }, count(member.chars)),
    el("td", {}, member.site ? el("bdi", {}, member.site) : ""),
    el("td", { class: "num" }, member.date || ""));
}

function membersTable(cluster, place) {
  const pairs = new Map();
  for (const pair of cluster.pairs) {
    if (pair.a === 0) pairs.set(pair.b, pair);
    else if (pair.b === 0) pairs.set(pair.a, pair);
  }
  // A page without a pair with the canonical page still leads to one of its pairs.
  for (const pair of cluster.pairs) {
    for (const at of [pair.a, pair.b]) if (at !== 0 && !pairs.has(at)) pairs.set(at, pair);
  }
  const dated = cluster.members.some((m) => m.date);
  const sited = cluster.members.some((m) => m.site);
  const table = el("table", { class: `list members ${dated ? "" : "undated"} ${sited ? "" : "unsited"}` },
    el("thead", {}, el("tr", {}, el("th", {}, "page"), el("th", { class: "num" }, "similarity"), el("th", { class: "num" }, "characters"), el("th", {}, "site"), el("th", { class: "num" }, "date"))),
    el("tbody", {}, cluster.members.map((member) => memberRow(cluster, place, member, pairs))));
  return section("Pages", table,
    cluster.more ? el("p", { class: "note" }, t`${plural(cluster.more, "further page")} of this cluster are in clusters.jsonl.`) : null);
}

function pairsTable(cluster, place) {
  if (!cluster.pairs.length) return null;
  const left = cluster.pairsInAll - cluster.pairs.length;
  return section("Pairs",
    el("table", { class: "list pairs-list" }, el("tbody", {}, cluster.pairs.slice(0, 120).map((pair) => el("tr", {},
      el("td", {}, el("a", { href: `#/pair/${clusters.number[place]}/${pair.a}/${pair.b}` },
        pageId(cluster.members[pair.a].id), el("span", { class: `rel ${pair.relation}` }, " ", tr(relationNames[pair.relation]), " "), pageId(cluster.members[pair.b].id)),
        el("code", { class: "under" }, pair.exact ? "equal texts" : pair.checks.filter((c) => !c.name.startsWith("evidence")).map(formula).join("; "))),
      el("td", { class: "num" }, ratio(pair.similarity)))))),
    left > 0 ? el("p", { class: "note" }, t`${plural(left, "further pair")} of this cluster are in pairs.jsonl.`) : null);
}

/** How many tell what the pages of a cluster tell, and since when. */
function agreementNote({ pages, sites, inputs, first_date, last_date, lost }) {
  const [first, last] = [first_date, last_date].map((date) => date && date.slice(0, 10));
  const dates = !first ? "" : first === last ? t`, of ${first}` : t`, from ${first} to ${last}`;
  return el("p", { class: "note" }, t`Of ${sites ? plural(sites, "site") : tr("no known site")} and ${plural(inputs, "input")}${dates}; ${plural(pages, "page")} if exact copies of one site count once; ${words(lost)} of their own went with dropped pages.`);
}

function clusterDetail(place) {
  const number = clusters.number[place];
  const flags = clusters.flags[place];
  const cluster = clusterAt(place);
  const head = [
    el("p", { class: "back" }, el("a", { href: "#/clusters" }, "← All clusters")),
    el("h2", { class: "title" }, t`Cluster ${count(number)}: ${plural(clusters.size[place], "page")}`),
    el("p", { class: "canonical" }, badge("canonical", "canonical"), " ", pageName(clusters.canonical[place], clusters.title[place]))];
  if (!cluster) return [...head, el("p", { class: "note" }, "The report holds the details of the largest clusters only; those of this one are in clusters.jsonl and pairs.jsonl.")];
  const possible = clusters.size[place] * (clusters.size[place] - 1) / 2;
  const reasons = [flags & 4 ? tr("fewer than half of its possible pairs are related, so it may contain more than one story") : "", flags & 8 ? t`it has more than ${count(overview.parameters.alarm_size)} pages` : "", flags & 16 ? tr("more than a third of a site, or of fifty consecutive pages, was dropped for one of its pages") : ""].filter(Boolean);
  return [...head,
    el("p", {}, whyCanonical(cluster)),
    reasons.length ? el("p", { class: "flag" }, t`Check this cluster: ${reasons.join(tr("; "))}.`) : null,
    el("p", { class: "note" }, t`${count(cluster.pairsInAll)} of ${plural(possible, "possible pair")} reported (${percent(cluster.pairsInAll, possible)}); ${plural(clusters.dropped[place], "page")} dropped, ${bytes(clusters.bytes[place])} saved.`),
    agreementNote(cluster.agreement),
    membersTable(cluster, place), pairsTable(cluster, place)];
}

function showCluster(number) {
  const place = placeOf.get(number);
  if (place === undefined) return show(el("p", { class: "empty" }, t`The report does not list a cluster ${number}; clusters.jsonl has all.`));
  const shown = clustersView();
  shown.root.classList.add("has-detail");
  shown.detail.replaceChildren(...clusterDetail(place).filter(Boolean));
  shown.detail.scrollTop = 0;
  if (!shown.root.isConnected) show(shown.root);
  else if (window.innerWidth < 900) window.scrollTo(0, 0);
  shown.list.open(place);
}
