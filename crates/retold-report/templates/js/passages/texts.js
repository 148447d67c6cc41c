// Texts of pages with their passages marked: one page, and two side by side.

/** The pieces of a window between the ends of marks, each with the marks that it is in. Offsets of marks are characters. */
function pieces(window_, marks) {
  const letters = Array.from(window_.text);
  const inside = marks.map((mark) => ({ ...mark, from: Math.max(0, mark.begin - window_.begin), to: Math.min(letters.length, mark.end - window_.begin) })).filter((mark) => mark.from < mark.to);
  const cuts = new Set([0, letters.length]);
  inside.forEach((mark) => { cuts.add(mark.from); cuts.add(mark.to); });
  letters.forEach((letter, at) => { if (letter === "\n") { cuts.add(at); cuts.add(at + 1); } });
  const sorted = [...cuts].sort((a, b) => a - b);
  return sorted.slice(1).map((end, at) => ({ text: letters.slice(sorted[at], end).join(""), marks: inside.filter((mark) => mark.from < end && sorted[at] < mark.to) }));
}

/** A text with marks. `marked` makes an element of a piece and its marks. */
function markedText(text, marks, marked) {
  const root = el("div", { class: text.chars > 50000 ? "text long" : "text" });
  const left = (n) => n > 0 && root.append(el("p", { class: "note gap" }, t`… ${plural(n, "character")} not shown …`));
  let done = 0;
  for (const window_ of text.windows) {
    left(window_.begin - done);
    let block = el("p", { dir: "auto" });
    for (const piece of pieces(window_, marks)) {
      if (piece.text === "\n") { root.append(block); block = el("p", { dir: "auto" }); continue; }
      block.append(piece.marks.length ? marked(piece) : piece.text);
    }
    root.append(block);
    done = window_.begin + Array.from(window_.text).length;
  }
  left(text.chars - done);
  return root;
}

/** What is said of a page above its text. */
function aboutPage(page) {
  const facts = [page.site && el("bdi", {}, page.site), page.date, page.copies ? t`${plural(page.copies, "page")} with the same text (copies.jsonl)` : ""].filter(Boolean);
  return facts.map((fact, at) => [at ? " · " : "", fact]);
}

const noText = () => el("p", { class: "empty" }, "The text of this page is not in the report, which holds those of the pages with the most repeated passages. passages.jsonl has the places; retold text prints the page.");

function showPage(at, passage) {
  const page = pages[at];
  if (!page) return show(el("p", { class: "empty" }, "The report has no such page."));
  const text = textOf(page);
  const shown = text ? text.marks.filter((mark) => mark.passage) : [];
  const others = text ? text.marks.length - shown.length : 0;
  const length = (mark) => mark.end - mark.begin;
  const marked = (piece) => {
    // Of passages that overlap the shortest is what one means to click.
    const mark = [...piece.marks].sort((a, b) => Number(!a.passage) - Number(!b.passage) || length(a) - length(b))[0];
    if (!mark.passage) return el("mark", { class: "other", title: tr("a passage that is not in the report") }, piece.text);
    const kind = mark.passage.at === passage ? "now" : mark.passage.at % 2 ? "moved" : "same";
    return el("a", { class: "mark", href: `#/passage/${mark.passage.at}`, title: t`In ${inPages(mark.passage)}` }, el("mark", { class: kind, "data-passage": mark.passage.at }, piece.text));
  };
  const back = passages[passage] ? [`#/passage/${passage}`, "The passage"] : ["#/passages", "All passages"];
  const column = text ? el("div", { class: "column", tabindex: 0, role: "region", "aria-label": "Text of the page" }, markedText(text, text.marks, marked)) : noText();
  show(el("p", { class: "back" }, el("a", { href: back[0] }, `← ${tr(back[1])}`)),
    el("h1", {}, pageId(page.id)), el("p", { class: "note" }, aboutPage(page)),
    section("Text", text ? el("p", { class: "note" }, t`${plural(shown.length, "passage")} of this report marked${others ? t`, ${plural(others, "other")} underlined` : ""}. Click one to see who else has it.`) : null, column),
    shown.length ? section("Passages on it", el("table", { class: "list" }, el("tbody", {}, [...shown].sort((a, b) => a.begin - b.begin).map((mark) => el("tr", {},
      el("td", { class: "num" }, `${count(mark.begin)}–${count(mark.end)}`), el("td", {}, el("a", { href: `#/passage/${mark.passage.at}` }, t`in ${inPages(mark.passage)}`), el("span", { class: "under said", dir: "auto" }, mark.passage.text))))))) : null);
  window.scrollTo(0, 0);
  const now = column.querySelector("mark.now");
  if (now) column.scrollTop += now.getBoundingClientRect().top - column.getBoundingClientRect().top - 60;
}

/** Words of a part of a text with their places; characters of scripts without spaces are words. */
function wordsOf(text, begin, end) {
  const words = [];
  for (const window_ of text.windows) {
    const letters = Array.from(window_.text);
    const from = Math.max(0, begin - window_.begin);
    let word = null;
    for (let at = from; at <= Math.min(letters.length, end - window_.begin); at++) {
      const letter = at < end - window_.begin ? letters[at] ?? "" : "";
      const alone = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(letter);
      const inWord = !alone && /[\p{L}\p{N}\p{M}]/u.test(letter);
      if (word && !inWord) { words.push(word); word = null; }
      if (alone) words.push({ text: letter, begin: window_.begin + at, end: window_.begin + at + 1 });
      else if (inWord) word = { text: (word?.text || "") + letter, begin: word?.begin ?? window_.begin + at, end: window_.begin + at + 1 };
    }
  }
  const plain = (word) => word.text.normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase();
  return words.map((word) => ({ ...word, plain: plain(word) }));
}

/** The words of either that are not in the longest common subsequence; none where the passage is too long for the table. */
function differing(a, b) {
  const width = b.length + 1;
  if (a.length * b.length > 9e6) return null;
  const best = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      best[i * width + j] = a[i].plain === b[j].plain ? best[(i + 1) * width + j + 1] + 1 : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
    }
  }
  const [alone, other] = [[], []];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i].plain === b[j].plain) { i++; j++; } else if (j >= b.length || (i < a.length && best[(i + 1) * width + j] >= best[i * width + j + 1])) alone.push(a[i++]);
    else other.push(b[j++]);
  }
  return [alone, other];
}

function showPair(at, number) {
  const passage = passages[at];
  const { places, sources } = passage ? detailOf(at) : { places: [], sources: [] };
  const source = sources[number];
  if (!source) return show(el("p", { class: "empty" }, "This pair is not in the report; pairs.jsonl has all pairs."));
  const sides = [[places[source.from].page, source.fromBegin, source.fromEnd], [places[source.place].page, source.begin, source.end]];
  const both = sides.map(([page]) => textOf(page));
  const differ = both[0] && both[1] ? differing(...sides.map(([, begin, end], side) => wordsOf(both[side], begin, end))) : null;
  const column = (side) => {
    const [page, begin, end] = sides[side];
    const head = el("h3", {}, el("span", { class: `letter ${"AB"[side]}` }, "AB"[side]), " ", el("a", { href: `#/page/${page.at}/${at}` }, pageId(page.id)), el("small", { class: "under" }, aboutPage(page)));
    if (!both[side]) return el("div", {}, head, noText());
    const marks = [{ begin, end, kind: "same" }, ...(differ ? differ[side].map((word) => ({ ...word, kind: "differs" })) : [])];
    const marked = (piece) => el("mark", { class: piece.marks.map((mark) => mark.kind).join(" ") }, piece.text);
    return el("div", {}, head, el("div", { class: "column", tabindex: 0, role: "region", "aria-label": t`Text of page ${"AB"[side]}` }, markedText(both[side], marks, marked)));
  };
  const columns = [column(0), column(1)];
  show(moves([`#/passage/${at}`, "The passage"], number, sources.length, (other) => `#/pair/${at}/${other}`),
    el("h1", {}, source.isLater ? "B has it after A" : "A and B have it"),
    section("Side by side", el("p", { class: "note" }, source.matched ? t`${matches(source)}, score ${count(source.score)}. ` : "", t`Characters ${count(source.fromBegin)}–${count(source.fromEnd)} of A, ${count(source.begin)}–${count(source.end)} of B.`),
      legend(["same", "the passage"], ...(differ ? [["differs", "words that the other does not have there"]] : [])), el("div", { class: "columns" }, columns)));
  window.scrollTo(0, 0);
  columns.forEach((node) => {
    const [box, mark] = [node.querySelector(".column"), node.querySelector("mark.same")];
    if (mark) box.scrollTop += mark.getBoundingClientRect().top - box.getBoundingClientRect().top - 60;
  });
}
