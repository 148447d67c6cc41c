// What the page says, in the reader's language: the code has it in English, and chinese.js has the same in Chinese.

let isChinese = (() => {
  let tag = null;
  try { tag = localStorage.getItem("retold-language"); } catch { /* files may have no storage */ }
  return (tag || navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag === "zh" || tag === "en")) === "zh";
})();

/** Fills the holes of a sentence: `{}` is the next value, `{2}` the second. Not all values need to be used. */
function fill(sentence, values) {
  let next = 0;
  return sentence.replace(/\{(\d*)\}/g, (_, number) => values[number ? number - 1 : next++]);
}

/** The Chinese of a sentence with its holes filled, or undefined. */
const filled = (sentence, values) => (isChinese && Object.hasOwn(chinese, sentence) ? fill(chinese[sentence], values) : undefined);

/** A text that is said as it stands. What is not in the table stays English. */
const tr = (text) => (isChinese && Object.hasOwn(chinese, text) ? chinese[text] : text);

/** A sentence with values: t`${n} of ${all}`. What is put in is never translated here. */
const t = (parts, ...values) => filled(parts.join("{}"), values) ?? String.raw({ raw: parts }, ...values);

const shapes = Object.keys(composed).map((shape) => [new RegExp(`^${shape.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll("{}", "(.+?)")}$`), shape]);

/** A sentence of the command, which may have put numbers and names into it. */
function told(text) {
  const found = isChinese && shapes.map(([shape, name]) => [shape.exec(text), name]).find(([values]) => values);
  return found ? fill(composed[found[1]], found[0].slice(1)) : text;
}

/** Reasons that the command has put in a row; all of them, or they stay as they are. */
function toldInRow(text) {
  const reasons = text.split(", and ");
  const all = reasons.map(told);
  return all.some((reason, at) => reason === reasons[at]) ? text : all.join(tr("; "));
}

/** The button that changes the language; remembered where the browser lets a file remember. */
function languages(redraw) {
  const button = document.getElementById("language");
  const still = [...document.querySelectorAll(".skip, #nav, #help")].map((node) => [node, node.getAttribute("aria-label"), node.className === "skip" ? node.textContent : null]);
  const title = document.title;
  const apply = () => {
    document.documentElement.lang = isChinese ? "zh-CN" : "en";
    button.textContent = isChinese ? "English" : "中文";
    button.lang = isChinese ? "en" : "zh-CN";
    document.title = told(title);
    for (const [node, label, text] of still) {
      if (label) node.setAttribute("aria-label", tr(label));
      if (text) node.textContent = tr(text);
    }
  };
  button.addEventListener("click", () => {
    isChinese = !isChinese;
    try { localStorage.setItem("retold-language", isChinese ? "zh" : "en"); } catch { /* it is forgotten then */ }
    apply();
    redraw();
  });
  apply();
}
