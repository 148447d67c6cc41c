// Opens reports in Debian's chromium, clicks through them, and saves screenshots to target/screenshots.
//   node tests/browser/report.test.mjs            (after cargo build --release; RETOLD names another binary)
// Prints "skipped: no chromium" where there is none, which fails if CI is set; and fails on any console message of level error.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { generate } from "./generate.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
if (!chromium) {
  console.log("skipped: no chromium");
  process.exit(process.env.CI ? 1 : 0);
}
const { chromium: driver } = await import("playwright-core");
const retold = process.env.RETOLD || ["release", "debug"].map((kind) => join(root, "target", kind, "retold")).find(existsSync);
const work = mkdtempSync(join(tmpdir(), "retold-browser-"));
const shots = join(root, "target/screenshots");
mkdirSync(shots, { recursive: true });

const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const context = await driver.launchPersistentContext(join(work, "profile"), { executablePath: chromium, headless: true, args: flags, offline: true });
const only = new Set(process.argv.slice(2));

function dedup(name, inputs, ...options) {
  const out = join(work, name);
  const run = spawnSync(retold, ["dedup", ...inputs, "-o", out, "--force", "--no-kept", "-q", ...options], { encoding: "utf8" });
  assert.ok(run.status === 0 || run.status === 1, run.stderr);
  return join(out, "report.html");
}

function passages(name, inputs, ...options) {
  const out = join(work, name);
  const run = spawnSync(retold, ["passages", ...inputs, "-o", out, "--force", "-q", ...options], { encoding: "utf8" });
  assert.equal(run.status, 0, run.stderr);
  return join(out, "report.html");
}

/** Opens a file in a new tab; any error on its console fails the test. */
async function open(file, hash = "", size = { width: 1600, height: 1000 }, scheme = "light", languages = null) {
  const page = await context.newPage();
  if (languages) await page.addInitScript((given) => Object.defineProperty(navigator, "languages", { get: () => given }), languages);
  const errors = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("request", (request) => /^(file|data):/.test(request.url()) || errors.push(`asked the network for ${request.url()}`));
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: scheme });
  await page.goto(pathToFileURL(file).href + hash);
  return { page, done: async () => { await page.close(); assert.deepEqual(errors, []); } };
}

const sizes = { wide: { width: 1600, height: 1000 }, narrow: { width: 360, height: 760 } };

/** Boxes that scroll down may not need to scroll sideways, too: nobody sees that they do. Wide tables are in boxes of their own. */
async function narrowBoxes(page, name) {
  const wide = await page.$$eval("main, .detail, .column, .tall, .virtual", (nodes) => nodes.filter((node) => node.scrollWidth > node.clientWidth).map((node) => `${node.className || "main"}: ${node.scrollWidth} in ${node.clientWidth} px`));
  assert.deepEqual(wide, [], name);
}

/** A view at both widths in both themes; nothing may be wider than the screen. */
async function pictures(file, hash, name, ready, schemes = ["light", "dark"], languages = null) {
  for (const [width, size] of Object.entries(sizes)) {
    for (const scheme of schemes) {
      const { page, done } = await open(file, hash, size, scheme, languages);
      await page.waitForSelector(ready);
      await page.waitForTimeout(150);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(over <= 0, `${name} at ${size.width} px is ${over} px too wide`);
      await narrowBoxes(page, `${name} at ${size.width} px`);
      await page.screenshot({ path: join(shots, `${name}-${width}-${scheme}.png`), fullPage: true });
      await done();
    }
  }
}

/** A view in Chinese at both widths. No three English words may follow each other, except in what pages, names and commands say. */
async function chinese(file, hash, name, ready) {
  const { page, done } = await open(file, hash, sizes.wide, "light", ["zh-CN", "en"]);
  await page.waitForSelector(ready);
  await page.waitForTimeout(150);
  assert.equal(await page.getAttribute("html", "lang"), "zh-CN");
  const left = await page.evaluate(() => {
    const own = "bdi, code, pre, mark, abbr, script, style, noscript, [dir=auto], [lang=en]";
    const texts = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
    const said = [];
    while (texts.nextNode()) if (!texts.currentNode.parentElement.closest(own)) said.push(texts.currentNode.data);
    for (const node of document.querySelectorAll("[title], [aria-label], [placeholder]")) {
      if (!node.closest(own)) said.push(...["title", "aria-label", "placeholder"].map((name) => node.getAttribute(name) || ""));
    }
    return said.filter((text) => /[A-Za-z’]+,? [A-Za-z’]+,? [A-Za-z’]+/.test(text));
  });
  assert.deepEqual(left, [], `English in ${name}`);
  await done();
  await pictures(file, hash, `chinese-${name}`, ready, ["light"], ["zh-CN", "en"]);
}

async function test(name, body) {
  if (only.size && !only.has(name)) return;
  const start = Date.now();
  await body();
  console.log(`ok ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
}

try {
  await test("examples", async () => {
    const evil = join(work, "evil.jsonl");
    const text = "This page wants to run </script><script>window.hacked = 3</script> in your browser. It will not get its way at all. The report shows it as text and nothing else. <img src=x onerror='window.hacked=4'> stays what it is here.";
    writeFileSync(evil, ["<script>window.hacked=1</script>", "\"><img src=x onerror=window.hacked=2>"].map((id, n) => JSON.stringify({ id, html: `<title>&lt;script&gt;window.hacked=5&lt;/script&gt;</title><p>${text.replaceAll("<", "&lt;")} Number ${n}</p>` })).join("\n"));
    const report = dedup("examples", [join(root, "examples/pages"), evil], "--report-text", "--method", "period");
    const { page, done } = await open(report);
    await page.waitForSelector("body[data-ready]");
    assert.match(await page.textContent("h1"), /copies found/);
    assert.match(await page.textContent("main section"), /What was lost/);
    assert.ok((await page.$$(".drops a[href*=drop]")).length > 2, "dropped pages to look at");
    assert.ok((await page.$$(".chart svg rect.one")).length > 2, "charts have bars");
    assert.match(await page.textContent("main"), /threshold 0\.7/);
    await page.keyboard.press("2");
    await page.waitForSelector(".row");
    const rows = await page.$$eval(".row .id", (nodes) => nodes.map((node) => node.textContent));
    assert.ok(rows.some((id) => id.includes("bridge")) && rows.some((id) => id.includes("ferry")), rows.join());
    assert.ok(rows.some((id) => id.includes("<script>") || id.includes("onerror")), "the evil id is shown as text");
    // Members are found that are not canonical.
    await page.fill("#search", "bridge-short");
    await page.waitForFunction(() => document.querySelectorAll(".row").length === 1);
    await page.focus(".virtual");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".detail .members");
    assert.match(await page.textContent(".detail"), /longest text/);
    await page.click(".members a[href*=pair] >> nth=0");
    await page.waitForSelector(".pair .checks");
    const told = await page.textContent(".pair");
    assert.match(told, /CCS = \d+\/\d+ = [01]\.\d\d ≥ 0\.70/);
    assert.match(told, /CLR = /);
    assert.ok((await page.$$(".column mark.same")).length > 1, "shared passages are marked");
    await page.click(".column mark.same");
    assert.ok((await page.$$(".column mark.now")).length > 1, "and linked");
    await page.keyboard.press("Escape");
    await page.waitForSelector(".detail");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    // The evil pair: everything is text.
    await page.keyboard.press("Escape");
    await page.fill("#search", "hacked");
    await page.waitForFunction(() => document.querySelectorAll(".row").length === 1 && document.querySelector(".row").textContent.includes("hacked"));
    await page.click(".row");
    await page.waitForFunction(() => document.querySelector(".detail .canonical").textContent.includes("hacked"));
    await page.click(".detail .members a[href*=pair]");
    await page.waitForSelector(".column");
    assert.match(await page.textContent(".column"), /<script>window.hacked = 3<\/script>/);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    await done();
    const links = await pairsOf(report);
    await pictures(report, "", "overview", "body[data-ready] .tiles");
    await pictures(report, "#/clusters", "clusters", ".row");
    // The report begins with dropped pages, each beside the page that it went for.
    await pictures(report, "#/drop/0", "drop", ".pair .columns");
    await pictures(report, links.cluster, "cluster", ".members");
    await pictures(report, links.pair, "pair", ".columns");
    const bare = dedup("bare", [join(root, "examples/pages")]);
    await pictures(bare, (await pairsOf(bare)).pair, "pair-without-texts", ".checks");
  });

  await test("readme", async () => {
    // The pictures of README.md and README.zh.md, docs/guide/pictures/report.png and report.zh.png: two pairs of the README's run.
    const report = dedup("readme", [join(root, "examples/pages")], "--report-text");
    for (const [name, one, other, told, language] of [["report", "ferry.html", "ferry-reprint.html", /Page A contains page B/, "en"], ["report.zh", "bridge.html", "bridge-edited.html", /两个网页重复/, "zh-CN"]]) {
      const { page, done } = await open(report, "#/clusters", { width: 1100, height: 860 }, "light", [language]);
      await page.waitForSelector(".row");
      await page.fill("#search", one);
      await page.waitForFunction(() => document.querySelectorAll(".row").length === 1);
      await page.click(".row");
      await page.click(`.members tr:has-text("${other}") a[href*=pair]`);
      await page.waitForSelector(".columns mark.same");
      assert.match(await page.textContent("main"), told);
      await page.locator("section", { has: page.locator(".columns") }).last().screenshot({ path: join(shots, `${name}.png`) });
      await done();
    }
  });

  await test("long", async () => {
    // Long ids, titles, sites and dates at once; a reject whose reason has backticks; pairs below the threshold.
    const input = join(work, "long.jsonl");
    const story = (n) => Array.from({ length: 12 }, (_, at) => `Sentence ${at} of story ${n} tells what the ${n * 31 + at * 7}th ferry carried over the river.`).join(" ");
    const line = (n, copy) => JSON.stringify({ id: `https://www.a-long-name-of-a-newspaper.example/archive/2024/${"section-".repeat(14)}${n}-${copy}`,
      url: `https://www.a-long-name-of-a-newspaper-${copy}.example/${n}`, title: `Story ${n}: the ferry and the river, told at length`, date: `2024-0${1 + (n % 9)}-1${copy}`, text: story(n) + (copy ? " And more." : "") });
    writeFileSync(input, [...Array(9).keys()].flatMap((n) => [line(n, 0), line(n, 1), line(n, 2)]).concat('{"body": "no text"}').join("\n"));
    const report = dedup("long", [input]);
    const { page, done } = await open(report, "", { width: 1280, height: 900 });
    await page.waitForSelector("body[data-ready]");
    const rejects = await page.$eval(".bars", (node) => node.closest("main").textContent);
    assert.ok(!rejects.includes("`"), "no backticks are shown");
    const columns = await page.$eval(".tiles", (node) => getComputedStyle(node).gridTemplateColumns.split(" ").length);
    assert.equal(8 % columns, 0, "no tile is alone in its line");
    assert.match(await page.textContent("main"), /write[0-9. s]/);
    await page.click("nav a >> nth=1");
    await page.waitForSelector(".row .named");
    await page.fill("#search", "Story 7:");
    await page.waitForFunction(() => document.querySelectorAll(".row").length === 1);
    await page.click(".row");
    await page.waitForSelector(".members .named");
    const width = await page.$eval(".members td", (node) => node.clientWidth);
    assert.ok(width > 180, `the column of pages is ${width} px wide`);
    await done();
    const links = await pairsOf(report);
    for (const [hash, name, ready] of [["", "long-overview", "body[data-ready] .tiles"], ["#/clusters", "long-clusters", ".row"], [links.cluster, "long-cluster", ".members"], [links.pair, "long-pair", ".checks"]]) {
      await pictures(report, hash, name, ready);
    }
  });

  await test("chain", async () => {
    // Each page repeats most of the one before, so all but the second have no pair with the canonical page. Ids and titles cannot be broken at spaces.
    const input = join(work, "chain.jsonl");
    const sentence = (at) => `Sentence ${at} tells what the ${at * 37}th ferry of harbour ${at * 91} carried over river number${at}.`;
    const line = (n) => JSON.stringify({ id: `${"section_".repeat(20)}${n}`, url: `https://${"a-long-name-of-a-newspaper.".repeat(6)}${n}.example/`, title: `${"Title".repeat(30)}${n}`, date: `2024-01-1${n}`,
      text: Array.from({ length: 11 }, (_, at) => sentence(3 * n + at)).join(" ") });
    writeFileSync(input, [0, 1, 2, 3].map(line).join("\n"));
    const report = dedup("chain", [input], "--method", "period");
    const { cluster, pair } = await pairsOf(report);
    const { page, done } = await open(report, cluster, { width: 900, height: 900 });
    await page.waitForSelector(".members");
    assert.match(await page.textContent(".members"), /similarity to section_/);
    await narrowBoxes(page, "900 px");
    const below = await page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight);
    assert.ok(below <= 0, "only the list and the cluster scroll");
    await done();
    await pictures(report, "", "chain-overview", "body[data-ready] .tiles", ["light"]);
    await pictures(report, cluster, "chain-cluster", ".members", ["light"]);
    await pictures(report, pair, "chain-pair", ".checks", ["light"]);
  });

  await test("explain", async () => {
    const html = join(work, "explain.html");
    const pages = ["bridge.html", "bridge-edited.html"].map((name) => join(root, "examples/pages", name));
    execFileSync(retold, ["explain", ...pages, "--method", "period", "--html", html]);
    const { page, done } = await open(html);
    await page.waitForSelector(".columns mark.same");
    assert.match(await page.textContent("main"), /CCS = /);
    await page.keyboard.press("n");
    assert.ok((await page.$$("mark.now")).length > 1);
    await done();
    await pictures(html, "", "explain", ".columns");
  });

  await test("passages", async () => {
    const input = join(work, "passages.jsonl");
    const ferry = "The ferry to Naxos left late because of the storm, the port police said on Monday. Passengers waited at the quay until noon, and the captain said that it was the last boat of the day";
    const edited = ferry.replace("waited", "had to wait");
    const evil = "</script><script>window.hacked=1</script>";
    // A letter outside of the first plane is two units in JavaScript, and one character.
    const long = `𝔄 ${Array.from({ length: 4000 }, (_, n) => `word${n} `).join("")}`;
    const page = (id, date, text) => JSON.stringify({ id, date, url: `https://${/^\w+/.exec(id)?.[0] ?? "evil"}.example/`, text });
    writeFileSync(input, [
      page("agency", "2026-03-01", `${ferry}.`), page("paper", "2026-03-02", `Shops were closed in March.\n${edited}. Snow fell on the hills, and schools stayed shut until Thursday morning; farmers brought goats down.`),
      page(evil, "2026-04-02", `${evil} tells this: ${ferry}, I read somewhere, and then all of it was forgotten by everybody who had ever been there, or so they told us.`),
      page("book", "2026-05-01", `${long}${edited}. ${long}`), page("copy", "2026-03-03", `${ferry}.`),
    ].join("\n"));
    const report = passages("passages", [input], "--min-words", "12");
    const { page: tab, done } = await open(report);
    await tab.waitForSelector("body[data-ready]");
    assert.match(await tab.textContent("h1"), /1 passage found/);
    assert.match(await tab.textContent("main"), /paper\.example ← agency\.example/);
    await tab.click(".quotes a.quote");
    await tab.waitForSelector(".timeline circle.two");
    assert.equal((await tab.$$(".timeline circle")).length, 4);
    assert.match(await tab.textContent("h1"), /In 4 pages of 4 sites/);
    const rows = await tab.$$eval(".places tbody tr", (nodes) => nodes.map((node) => node.textContent));
    assert.match(rows[0], /agency.*first.*1 page with this text/);
    // The agency repeats the third page, and was aligned with no other.
    assert.match(rows[1], /paper.*after agency$/);
    assert.ok(rows[2].includes(evil), "the evil id is shown as text");
    assert.match(rows[3], /book.*from paper/);
    // Side by side: the words that differ are marked.
    await tab.click(".places tr:has-text('paper') td:nth-child(3) a");
    await tab.waitForSelector(".columns mark.same");
    const marked = (selector) => tab.$$eval(selector, (nodes) => nodes.map((node) => node.textContent).join(""));
    assert.deepEqual([await marked(".columns > :first-child mark.same"), await marked(".columns > :last-child mark.same")], [ferry, edited]);
    assert.deepEqual([await marked(".columns > :first-child mark.differs"), await marked(".columns > :last-child mark.differs")], ["waited", "hadtowait"]);
    // The book is cut around its passage.
    await tab.keyboard.press("Escape");
    await tab.click(".places tr:has-text('book') td:nth-child(2) a");
    await tab.waitForSelector("a.mark mark.now");
    assert.equal(await marked("mark.now"), edited);
    assert.equal((await tab.$$(".gap")).length, 2);
    assert.match(await tab.textContent(".gap"), /^… [\d,]+ characters not shown …$/);
    await tab.click("a.mark");
    await tab.waitForSelector(".timeline");
    await tab.keyboard.press("/");
    await tab.waitForSelector("#search:focus");
    await tab.keyboard.type("evil.example");
    await tab.waitForFunction(() => document.querySelector("[role=status]").textContent === "1 passage");
    await tab.fill("#search", "nowhere");
    await tab.waitForFunction(() => document.querySelector("[role=status]").textContent === "0 passages");
    assert.equal(await tab.evaluate(() => window.hacked), undefined);
    await done();
    for (const [hash, view, ready] of [["", "overview", ".quotes"], ["#/passages", "list", ".quotes"], ["#/passage/0", "passage", ".timeline svg"], ["#/page/2/0", "page", "mark.now"], ["#/pair/0/1", "pair", "mark.differs"]]) {
      await pictures(report, hash, `passages-${view}`, ready);
    }
    const none = passages("no-passages", [input], "--min-words", "9999");
    const { page: empty, done: closed } = await open(none);
    assert.match(await empty.textContent("h1"), /No two pages have a passage in common/);
    await closed();
  });

  await test("chinese", async () => {
    const report = dedup("chinese", [join(root, "examples/pages")], "--report-text", "--site-dir", "1");
    const links = await pairsOf(report);
    await chinese(report, "", "overview", "body[data-ready] .tiles");
    await chinese(report, "#/clusters", "clusters", ".row");
    await chinese(report, links.cluster, "cluster", ".members");
    await chinese(report, links.pair, "pair", ".columns");
    await chinese(report, "#/drop/0", "drop", ".pair .columns");
    const bare = dedup("chinese-bare", [join(root, "examples/pages")], "--method", "period");
    await chinese(bare, (await pairsOf(bare)).pair, "pair-without-texts", ".checks");
    const found = passages("chinese-passages", [join(root, "examples/pages")], "--min-words", "12");
    for (const [hash, view, ready] of [["", "overview", ".quotes"], ["#/passages", "list", ".quotes"], ["#/passage/0", "passage", ".places"], ["#/page/0/0", "page", ".column"], ["#/pair/0/0", "pair", ".columns"]]) {
      await chinese(found, hash, `passages-${view}`, ready);
    }
    const html = join(work, "chinese.html");
    execFileSync(retold, ["explain", ...["bridge.html", "bridge-edited.html"].map((name) => join(root, "examples/pages", name)), "--html", html]);
    await chinese(html, "", "explain", ".columns");
    // What pages and sites are called stays as it is, even if the report has a word for it.
    const input = join(work, "words.jsonl");
    const text = "The night ferry between the two islands will run again from the first week of May, the harbour master said on Monday, and the captain said that it was time.";
    writeFileSync(input, ["Overview", "Pages"].map((id) => JSON.stringify({ id, title: "Clusters", url: "https://site/", text })).join("\n"));
    const words = dedup("words", [input], "--site-field", "title", "--report-text");
    for (const [hash, ready, names] of [["#/cluster/0", ".members", ["Overview", "Pages", "Clusters"]], ["#/pair/0/0/1", ".cards", ["Overview", "Pages", "Clusters"]], ["", "body[data-ready] .losses", ["Clusters"]]]) {
      const { page, done } = await open(words, hash, sizes.wide, "light", ["zh-CN"]);
      await page.waitForSelector(ready);
      const said = await page.textContent(ready);
      for (const name of names) assert.ok(said.includes(name), `${name} in ${said}`);
      await done();
    }
    // The other language is one click away, in every view, and is remembered.
    const { page, done } = await open(report, links.cluster, sizes.wide, "light", ["zh-CN"]);
    await page.waitForSelector(".members");
    assert.match(await page.textContent(".members thead"), /网页.*相似度/);
    await page.click("#language");
    assert.match(await page.textContent(".members thead"), /page.*similarity/);
    assert.equal(await page.getAttribute("html", "lang"), "en");
    await page.reload();
    await page.waitForSelector(".members");
    assert.equal(await page.getAttribute("html", "lang"), "en");
    await page.click("#language");
    await page.evaluate(() => localStorage.clear());
    await done();
  });

  await test("many", async () => {
    const input = join(work, "many.jsonl");
    await generate(input, 100_000);
    const report = dedup("many", [input], "--method", "period");
    const size = statSync(report).size;
    const start = Date.now();
    const { page, done } = await open(report);
    await page.waitForSelector(".tiles");
    const first = Date.now() - start;
    await page.waitForSelector("body[data-ready]");
    const all = Date.now() - start;
    const gains = await page.textContent("section:has(> h2:text('Sites that stand for others'))");
    assert.match(gains, /site\d+\.example\.com\s*[\d,]+ of \d+ sites/, "sites for whose pages others were dropped");
    console.log(`   100,000 clusters: ${(size / 1048576).toFixed(1)} MiB, overview after ${first} ms, list after ${all} ms`);
    await page.click("nav a >> nth=1");
    await page.waitForSelector(".row");
    assert.match(await page.textContent("[role=status]"), /100,000 clusters/);
    assert.ok((await page.$$(".row")).length < 40, "only rows in sight are elements");
    await page.focus(".virtual");
    const turn = Date.now();
    await page.keyboard.press("End");
    await page.waitForFunction(() => document.querySelector("#row-99999"));
    console.log(`   to the last row: ${Date.now() - turn} ms`);
    const search = Date.now();
    await page.fill("#search", "/77777/1");
    await page.waitForFunction(() => document.querySelectorAll(".row").length === 1, null, { timeout: 20000 });
    console.log(`   a member found: ${Date.now() - search} ms`);
    await page.click(".row");
    await page.waitForSelector(".detail .members");
    await page.click(".members a[href*=pair] >> nth=0");
    await page.waitForSelector(".checks");
    assert.match(await page.textContent(".pair"), /CCS = /);
    await done();
    await pictures(report, "", "many-overview", "body[data-ready] .tiles");
    await pictures(report, "#/clusters", "many-clusters", ".row");
  });

  const data = join(process.env.RETOLD_DATA || join(homedir(), ".cache/retold-data"), "wooyun/pages");
  await test("wooyun", async () => {
    if (!existsSync(data)) {
      if (process.env.RETOLD_DATA) throw new Error(`RETOLD_DATA is set, and there is no ${data}`);
      return void console.log("   skipped: no data (wooyun)");
    }
    const report = dedup("wooyun", [data], "--site-dir", "1", "--report-text=4000");
    const links = await pairsOf(report);
    await pictures(report, "", "wooyun-overview", "body[data-ready] .tiles");
    await pictures(report, links.cluster, "wooyun-cluster", ".members");
    await pictures(report, links.pair, "wooyun-pair", ".columns");
  });
} finally {
  await context.close();
  rmSync(work, { recursive: true, force: true });
}

/** Where the largest cluster and one of its pairs are. */
async function pairsOf(report) {
  const { page, done } = await open(report, "#/clusters");
  await page.waitForSelector(".row");
  const cluster = await page.getAttribute(".row", "href");
  await page.click(".row");
  await page.waitForSelector(".members");
  const links = await page.$$eval(".members a", (nodes) => nodes.map((node) => node.getAttribute("href")));
  await done();
  return { cluster, pair: links[Math.min(links.length - 1, 2)] };
}
