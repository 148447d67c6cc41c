// Passages and pages, as a report of passages holds them.

const pages = (chunk("pages", 0) || []).map(([id, site, date, slot, copies], at) => {
  const time = date === null ? NaN : Date.parse(date);
  return { at, id, site, date: date === null ? null : date.slice(0, date.indexOf("T")), time: Number.isNaN(time) ? null : time, slot, copies };
});
const passages = (chunk("passages", 0) || []).map((passage, at) => ({ ...passage, at, first: pages[passage.page] }));
const details = new Chunks("detail", tables.detail_chunk, 24);
const texts = new Chunks("text", tables.text_chunk, 8);

/** The places of a passage, and from where each has it. */
function detailOf(at) {
  const [places, sources] = details.at(at);
  return {
    places: places.map(([page, begin, end], number) => ({ number, page: pages[page], begin, end })),
    sources: sources.map(([place, from, begin, end, fromBegin, fromEnd, matched, score, isLater], number) => ({ number, place, from, begin, end, fromBegin, fromEnd, matched, score, isLater })),
  };
}

/** What is shown of a page's text, or null: `windows` of it, each with where it begins in characters, and the passages in it. */
function textOf(page) {
  const raw = page.slot < 0 ? null : texts.at(page.slot);
  if (!raw) return null;
  return {
    chars: raw.chars, windows: raw.windows.map(([begin, text]) => ({ begin, text })),
    marks: raw.marks.map(([begin, end, passage]) => ({ begin, end, passage: passage < 0 ? null : passages[passage] })),
  };
}

const inPages = (passage) => (passage.sites > 1 ? t`${plural(passage.size, "page")} of ${plural(passage.sites, "site")}` : plural(passage.size, "page"));
/** Who has it first, in words. */
const firstOf = (passage) => (passage.first.time === null ? ["on ", pageId(passage.first.id)] : [t`first ${passage.first.date} on `, pageId(passage.first.id)]);
