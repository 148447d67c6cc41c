// Whether all that a report says is also there in Chinese, and whether nothing in the Chinese tables is left over. Needs no browser.
//   node tests/browser/chinese.test.mjs
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const scripts = join(root, "crates/retold-report/templates/js");
const files = (folder, end) => readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(end)).map((name) => join(folder, name));

/** The words, numbers, texts, templates and signs of a script, without comments. A template is a text with `{}` for each of its values. */
function tokens(code) {
  const found = [];
  let at = 0;
  const escaped = (end) => {
    const from = at;
    while (code[at] !== end) at += code[at] === "\\" ? 2 : 1;
    return code.slice(from, at++);
  };
  const template = () => {
    const token = { kind: "template", value: "", tagged: found.at(-1)?.value === "t" };
    found.push(token);
    while (code[at] !== "`") {
      if (code.startsWith("${", at)) { at += 2; token.value += "{}"; found.push({ kind: "sign", value: "{" }); until("}"); } else token.value += code[at++];
    }
    at++;
  };
  const until = (end) => {
    for (let depth = 0; at < code.length;) {
      const last = found.at(-1);
      const rest = code.slice(at, at + 200);
      const word = /^[\p{L}\p{N}_$]+/u.exec(rest)?.[0];
      if (rest.startsWith("//")) at = (code.indexOf("\n", at) + 1 || code.length + 1) - 1;
      else if (rest.startsWith("/*")) at = code.indexOf("*/", at) + 2;
      else if (word) { found.push({ kind: "word", value: word }); at += word.length; }
      else if (code[at] === '"') { at++; found.push({ kind: "text", value: escaped('"').replaceAll("\\n", "\n") }); }
      else if (code[at] === "`") { at++; template(); }
      else if (code[at] === "/" && (!last || last.value === "return" || (last.kind === "sign" && !")]}".includes(last.value)))) {
        // A pattern, which may have a slash in brackets.
        at += /^\/(?:\[(?:\\.|[^\]])*\]|\\.|[^/])+\/\w*/.exec(code.slice(at))[0].length;
        found.push({ kind: "pattern", value: "" });
      } else if (/\s/.test(code[at])) at++;
      else {
        const sign = /^(?:[=!]==|=>|\S)/.exec(rest)[0];
        at += sign.length;
        found.push({ kind: "sign", value: sign });
        if (sign === "{") depth++;
        if (sign === "}" && depth-- === 0 && end) return;
      }
    }
  };
  until("");
  return found;
}

/** Arguments and properties that are for the browser, not for people. */
const notShown = new Set(("addEventListener getElementById querySelector querySelectorAll closest getItem setItem add remove startsWith endsWith setAttribute removeAttribute getAttribute " +
  "createElement createElementNS chunk Chunks NumberFormat normalize focus toSearch follow includes").split(" "));
const notText = new Set("class id role type href list scope dir lang autocomplete d transform viewBox text-anchor aria-live".split(" "));
/** Calls whose first argument is a name, of an element or a field. */
const named = new Set(["el", "svg", "input", "choice", "changed"]);

/** Links inside the report, and lengths for style sheets. */
const isAddress = /^(#\/|translateY\(|\{\}px$)/;

/** All texts of a script that people may see, and all keys that are looked up. */
function texts(code) {
  const all = tokens(code);
  const open = [];
  const shown = new Set(), keys = new Set();
  all.forEach((token, at) => {
    const [before, after] = [all[at - 1], all[at + 1]];
    const inside = open.at(-1);
    if (token.kind === "sign") {
      if ("([{".includes(token.value)) open.push({ sign: token.value, callee: token.value === "(" && before?.kind === "word" ? before.value : "", number: 0, property: "", first: at });
      if (")]}".includes(token.value)) open.pop();
      if (token.value === "," && inside) { inside.number++; inside.property = ""; }
      if (token.value === ":" && inside?.sign === "{" && ["{", ","].includes(all[at - 2]?.value)) inside.property = before.value;
    }
    if (token.kind === "template" && token.tagged) { keys.add(token.value); shown.add(token.value); }
    if (token.kind === "template" && !token.tagged && /[A-Za-z]{2}/.test(token.value) && !isAddress.test(token.value) && !notText.has(inside?.property) && !notShown.has(inside?.callee)) shown.add(token.value);
    if (token.kind !== "text") return;
    if (inside?.callee === "plural") {
      const many = inside.number === 2 ? token.value : after.value === ")" ? token.value + "s" : null;
      if (many) { keys.add(`{} ${many}`); shown.add(`{} ${many}`); }
      return;
    }
    keys.add(token.value);
    const isName = after?.value === ":" && ["{", ","].includes(before?.value);
    const isCompared = ["===", "!==", "case"].includes(before?.value) || ["===", "!=="].includes(after?.value);
    const isTag = named.has(inside?.callee) && inside.number === 0;
    const isKind = inside?.callee === "badge" && inside.number === 1;
    const isQuiet = open.some((part) => notText.has(part.property) || notShown.has(part.callee));
    if (/[A-Za-z]{2}/.test(token.value) && !isAddress.test(token.value) && !isName && !isCompared && !isTag && !isKind && !isQuiet) shown.add(token.value);
  });
  return { shown, keys };
}

/** Texts that look as if people saw them, and why they do not, or why they are the same in Chinese. */
const exceptions = new Set([
  // Classes and other names for style sheets, scripts and the browser.
  ..."one two three same moved now plain strong warn neutral ok fail differs start end middle true --heat".split(" "), "f grey",
  // Elements whose text stays as it is.
  ..."bdi code pre mark abbr".split(" "),
  // Columns, fields and roles of the data.
  ..."number size title flags least bytes of_sites contained_by alone common deleted".split(" "),
  // Views, keys of the keyboard, units, letters of pages, a stand-in for a folder.
  ..."overview auto Enter Esc KiB MiB GiB TiB AB OUT".split(" "), "next", "previous",
  // A verb and a pronoun that depend on the number in English only.
  "its", "their",
  // A command.
  "retold explain {} {} {}",
]);

const table = readFileSync(join(scripts, "chinese.js"), "utf8");
const { chinese, composed } = new Function(`${table}; return { chinese, composed };`)();
const shown = new Set(), keys = new Set();
for (const file of files(scripts, ".js").filter((name) => !/(chinese|language)\.js$/.test(name))) {
  const found = texts(readFileSync(file, "utf8"));
  found.shown.forEach((text) => shown.add(text));
  found.keys.forEach((key) => keys.add(key));
}
// What stands in the page before its code runs.
const head = readFileSync(join(scripts, "../report_head.html"), "utf8");
for (const [, text] of head.matchAll(/(?:aria-label="|class="skip" href="#main">)([^"<]+)/g)) { shown.add(text); keys.add(text); }

const holes = (text) => (text.match(/\{\}/g) || []).length;
/** Whether no hole of a translation asks for a value that there is not. */
const fits = ([english, said]) => (said.match(/\{\}/g) || []).length <= holes(english) && [...said.matchAll(/\{(\d+)\}/g)].every(([, number]) => number >= 1 && number <= holes(english));
const names = (tables) => tables.join("\n  ");
const without = [...shown].filter((text) => !Object.hasOwn(chinese, text) && !exceptions.has(text));
assert.equal(names(without), "", "no Chinese for these; add it to js/chinese.js, or an exception here");
assert.equal(names(Object.keys(chinese).filter((key) => !keys.has(key))), "", "Chinese for what the report does not say");
assert.equal(names([...exceptions].filter((text) => !shown.has(text) || Object.hasOwn(chinese, text))), "", "exceptions that are none");
assert.equal(names(Object.entries({ ...chinese, ...composed }).filter((entry) => !fits(entry)).map(([english]) => english)), "", "holes that nothing fills");

// What the command writes into the data.
const text = String.raw`"((?:[^"\\]|\\[^])*)"`;
const ways = [String.raw`let \w+ =\s*${text}`, String.raw`=> ${text},`, String.raw`Check::\w+\(\s*"[^"]+",\s*${text}`, String.raw`deciding\(\s*${text},\s*(?:${text})?`, String.raw`outcomes: \(\s*${text},\s*${text}`, String.raw`let outcomes? = \(${text}, ${text}`, String.raw`reconsider\(${text}`];
/** The code of a file without comments and tests, and with its texts in one line. */
const source = (file) => readFileSync(file, "utf8").split(/#\[cfg\(test\)\]\n(?:pub\S* )?mod \w+ \{/)[0].replace(/^\s*\/\/.*/gm, "").replace(/\\\n\s*/g, "");
const rust = (folder) => files(join(root, folder), ".rs").filter((name) => !/tests?\.rs$|\/tests?\//.test(name)).map(source);
const methods = [...rust("crates/retold/src/method"), source(join(root, "crates/retold/src/model/judge.rs"))];
const written = new Set(methods.flatMap((code) => ways.flatMap((way) => [...code.matchAll(new RegExp(way, "g"))].flatMap((found) => found.slice(1))).filter((said) => said && said.includes(" "))));
const stages = /fn name[^]*?\n    }/.exec(readFileSync(join(root, "crates/retold/src/stage.rs"), "utf8"))[0];
for (const [, name] of stages.matchAll(/=> "([^"]+)"/g)) written.add(name);
assert.equal(names([...written].filter((said) => !Object.hasOwn(composed, said))), "", "no Chinese for these sentences of the command");
const everything = ["crates/retold/src", "crates/retold-report/src", "crates/retold-cli/src"].flatMap(rust).join("\n");
// The command puts some sentences together, so only what stands between their values can be found.
const pieces = (said) => said.split(/\{\}|: (?=\{\}$)|(?= were dropped)/);
assert.equal(names(Object.keys(composed).filter((said) => !pieces(said).every((piece) => everything.includes(piece)))), "", "sentences that the command does not write");
// The command says the same in its messages.
const messages = readFileSync(join(root, "crates/retold-cli/src/zh-messages.tsv"), "utf8").split("\n").map((line) => line.split("\t"));
const numbered = (said) => { let next = 0; return said.replace(/\{\}/g, () => `{${++next}}`); };
assert.equal(names(messages.filter(([english, said]) => said && Object.hasOwn(composed, english) && numbered(composed[english]) !== said).map(([english]) => english)), "", "other words than in zh-messages.tsv");
console.log(`ok ${shown.size} texts, and ${written.size} sentences of the command`);
