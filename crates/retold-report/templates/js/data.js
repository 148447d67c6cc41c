// Clusters and pairs, as a report of copies holds them.

const theStory = chunk("story", 0);

const details = tables && new Chunks("detail", tables.detail_chunk, 24);
const texts = tables && new Chunks("text", tables.text_chunk, 8);

/** All listed clusters in columns; filled chunk by chunk so that the page stays responsive. */
const clusters = { number: [], size: [], canonical: [], title: [], flags: [], least: [], dropped: [], bytes: [], sites: [], of_sites: [], ready: false };
const placeOf = new Map();

function readList(done) {
  let next = 0;
  const chunks = Math.ceil(tables.listed / tables.list_chunk);
  const step = () => {
    const until = performance.now() + 30;
    while (next < chunks && performance.now() < until) {
      const part = chunk("list", next++);
      for (const column of ["number", "size", "canonical", "title", "flags", "least", "dropped", "bytes", "sites", "of_sites"]) {
        for (const value of part[column]) clusters[column].push(value);
      }
      part.number.forEach((number, at) => placeOf.set(number, part.first + at));
    }
    if (next < chunks) return void setTimeout(step);
    clusters.ready = true;
    done();
  };
  step();
}

/** The details of the cluster at a place in a form with names, null beyond the report's limit. */
function clusterAt(place) {
  const raw = place < tables.detailed ? details.at(place) : null;
  if (!raw) return null;
  return { members: raw[0].map(memberOf), more: raw[1], pairs: raw[2].map(pairOf), pairsInAll: raw[3], agreement: raw[4] };
}

function memberOf(m, at) {
  return {
    at, id: m[0], site: m[1] < 0 ? null : tables.sites[m[1]], chars: m[2], bytes: m[3], date: m[4] === null ? null : day(m[4]),
    fate: m[5], keptFor: m[6], keys: m[7], text: m[8], title: m[9],
  };
}

function pairOf(p) {
  return {
    a: p[0], b: p[1], relation: ["duplicate", "contains", "contained_by", "overlaps"][p[2]], similarity: p[3], length_ratio: p[4], shared: p[5],
    exact: p[6] === 1, checks: p[7].map(checkOf),
    counts: { plain: p[8], plainMore: p[9], common: p[10], commonMore: p[11], deleted: p[12] }, own_a: p[13], own_b: p[14],
  };
}

function checkOf(c) {
  const shape = tables.checks[c[0]];
  const check = { name: shape.name, meaning: shape.meaning, test: shape.test, outcomes: shape.outcomes };
  if (c.length === 2) return { ...check, value: c[1] };
  if (c[2] === null) return { ...check, part: c[1], value: c[1] };
  return { ...check, part: c[1], whole: c[2], value: c[2] ? c[1] / c[2] : 0 };
}

function day(number) {
  return new Date(number * 86400000).toISOString().slice(0, 10);
}

/** Two decimals, or more where two would say 1.00 of something less. */
function ratio(value) {
  let digits = 2;
  while (value < 1 && digits < 6 && Number(value.toFixed(digits)) === 1) digits++;
  return value.toFixed(digits);
}

const negated = { "≥": "<", "≤": ">", ">": "≤", "<": "≥" };

function holds(check) {
  if (!check.test) return true;
  const [op, limit] = check.test;
  return op === "≥" ? check.value >= limit : op === "≤" ? check.value <= limit : op === ">" ? check.value > limit : check.value < limit;
}

/** A check as a formula with its values, as in CCS = 14/16 = 0.88 ≥ 0.70. The same as `Check`'s Display in Rust. */
function formula(check) {
  const isCount = check.part !== undefined && check.whole === undefined;
  const over = check.whole !== undefined ? `${count(check.part)}/${count(check.whole)} = ` : "";
  if (!check.test) return `${check.name} = ${over}${isCount ? count(check.value) : check.value.toFixed(2)}`;
  const [op, limit] = check.test;
  let digits = 2;
  while (check.value !== limit && digits < 6 && check.value.toFixed(digits) === limit.toFixed(digits)) digits++;
  const text = (n) => (isCount ? count(n) : n.toFixed(digits));
  return `${check.name} = ${over}${text(check.value)} ${holds(check) ? op : negated[op]} ${text(limit)}`;
}
