// Opens the page of `retold serve` in Debian's chromium, asks, and saves screenshots to target/screenshots.
//   node tests/browser/service.test.mjs            (after cargo build --release; RETOLD names another binary)
// Prints "skipped: no chromium" where there is none, which fails if CI is set; and fails on any console message of level error and any other host.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
if (!chromium) {
  console.log("skipped: no chromium");
  process.exit(process.env.CI ? 1 : 0);
}
const { chromium: driver } = await import("playwright-core");
const retold = process.env.RETOLD || ["release", "debug"].map((kind) => join(root, "target", kind, "retold")).find(existsSync);
const work = mkdtempSync(join(tmpdir(), "retold-service-"));
const shots = join(root, "target/screenshots");
mkdirSync(shots, { recursive: true });

const sentence = (n) => `In part ${n} the captain of boat ${n * 31} told passenger ${n * 17} about island ${n * 7 + 3} and the storm.`;
const story = Array.from({ length: 14 }, (_, n) => sentence(n)).join(" ");
const gardens = Array.from({ length: 14 }, (_, n) => `Garden number ${n * 13} belongs to family ${n * 29 + 5}, who grow roses and ${n * 3} kinds of beans behind wall ${n * 11}.`).join(" ");
const mill = Array.from({ length: 14 }, (_, n) => `The mill wheel turned ${n * 37} times before noon ${n}, said miller ${n * 19 + 2}, while ${n * 23} sacks of flour waited.`).join(" ");
const evil = "<img src=x onerror='window.hacked=1'><script>window.hacked=2</scr" + "ipt>";
const pages = [
  { id: "http://first.example/storm", url: "http://first.example/storm", date: "2026-11-01T08:00:00Z", html: `<title>Storm over the islands</title><article><h1>Storm over the islands</h1><p>${story}</p></article>` },
  { id: "copy-1", url: "http://copy.example/a", date: "2026-11-02", text: `${story} Read more news tomorrow.` },
  { id: "短讯", url: "http://短.example/", date: "2026-11-03", text: story.split(". ").slice(0, 5).join(". ") + "." },
  { id: evil, url: "javascript:window.hacked=3", date: "2026-11-04", text: `${evil} ${story}` },
  { id: "other", date: "2026-11-04", text: "Nine gardens can be seen on Saturday. The tour begins at the church, and tickets are sold at the gate of the first garden." },
  { id: "gardens", url: "http://first.example/gardens", date: "2026-11-04T09:00:00Z", title: "=Gardens", text: gardens },
  { id: "gardens-2", url: "http://copy.example/gardens", date: "2026-11-04T12:00:00Z", title: "Open gardens", text: gardens.replaceAll("roses", "tulips") },
  { id: "week", url: "http://week.example/", date: "2026-11-04T18:00:00Z", title: "The week", text: [story, gardens, mill].join("\n") },
];
const run = (...words) => { const ran = spawnSync(retold, words, { encoding: "utf8", cwd: work }); assert.equal(ran.status, 0, ran.stderr); };
writeFileSync(join(work, "pages.jsonl"), pages.map((page) => JSON.stringify(page)).join("\n"));
writeFileSync(join(work, "tokens"), "correct-horse-battery\n", { mode: 0o600 });
run("index", "create", "ix");
run("index", "add", "ix", "pages.jsonl", "-q");

async function serve(index, ...more) {
  const child = spawn(retold, ["serve", index, "--listen", "127.0.0.1:0", "-q", ...more], { cwd: work });
  const [line] = await new Promise((done) => createInterface(child.stdout).once("line", (...line) => done(line)));
  return { address: line.split(" ").pop(), stop: () => new Promise((done) => { child.once("exit", done); child.kill(); }) };
}

const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP evil.example 127.0.0.1"];
const launch = (locale) => driver.launchPersistentContext(join(work, "profile-" + locale), { executablePath: chromium, headless: true, args: flags, locale });
const contexts = { "en-US": await launch("en-US"), "zh-CN": await launch("zh-CN") };
const context = contexts["en-US"];

/** Opens the page in a new tab. `allowed`: console errors that may come. */
async function open(address, hash = "", size = { width: 1400, height: 900 }, scheme = "light", allowed = /^$/, locale = "en-US") {
  const page = await contexts[locale].newPage();
  const errors = [];
  page.on("console", (message) => message.type() === "error" && !allowed.test(message.text()) && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("request", (request) => request.url().startsWith(address + "/") || request.url().startsWith("data:") || errors.push(`asked ${request.url()}`));
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: scheme });
  await page.goto(address + "/" + hash);
  return { page, done: async () => { assert.equal(await page.evaluate(() => window.hacked), undefined); await page.close(); assert.deepEqual(errors, []); } };
}
const ask = async (page, text) => { await page.fill("#what", text); await page.click("#form button"); };

/** A page of another site that the user visits: it tries to write into the service and to read it, in all ways that need no permission. */
async function hostile(address) {
  const text = JSON.stringify({ id: "planted", text: story });
  const attack = async ([service, text]) => {
    const told = {};
    const attempt = async (name, url, options) => {
      try { const answer = await fetch(url, options); told[name] = `${answer.type} ${answer.status} ${(await answer.text()).slice(0, 40)}`; } catch (error) { told[name] = "refused"; }
    };
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json"]) {
      await attempt(`write ${type}`, `${service}/v1/pages`, { method: "POST", body: text, headers: { "content-type": type }, mode: type === "application/json" ? "cors" : "no-cors" });
    }
    await attempt("write html", `${service}/v1/pages?id=planted`, { method: "POST", body: new Blob([`<p>${text}`], { type: "text/plain" }), mode: "no-cors" });
    await attempt("remove", `${service}/v1/pages/other`, { method: "DELETE" });
    await attempt("read", `${service}/v1/pages/other`);
    await attempt("match", `${service}/v1/match`, { method: "POST", body: text });
    const form = Object.assign(document.createElement("form"), { action: `${service}/v1/pages?id=planted`, method: "post", enctype: "text/plain", target: "frame" });
    const field = Object.assign(document.createElement("input"), { name: text.slice(0, -1) + ', "x": "', value: '"}' });
    const frame = Object.assign(document.createElement("iframe"), { name: "frame" });
    form.append(field);
    document.body.append(frame, form);
    form.submit();
    await new Promise((done) => setTimeout(done, 500));
    return told;
  };
  const site = createServer((_, answer) => answer.end("<!doctype html><title>evil</title><body>")).listen(0, "127.0.0.1");
  await new Promise((done) => site.once("listening", done));
  const page = await context.newPage();
  await page.goto(`http://evil.example:${site.address().port}/`);
  const told = await page.evaluate(attack, [address, text]);
  // Its own name now leads to the service (DNS rebinding): the browser takes both for one site.
  const rebound = `http://evil.example:${new URL(address).port}`;
  const answer = await page.goto(`${rebound}/v1/pages/other`);
  assert.equal(answer.status(), 421, "a request under another name is answered");
  const again = await page.evaluate(attack, [rebound, text]);
  await page.close();
  site.close();
  for (const [name, what] of Object.entries({ ...told, ...Object.fromEntries(Object.entries(again).map(([name, what]) => [`rebound ${name}`, what])) })) {
    assert.ok(/^(refused|opaque 0|\w+ (403|421) )/.test(what) && !/Nine gardens|"matches"/.test(what), `${name}: ${what}`);
  }
  const status = async (id) => (await fetch(`${address}/v1/pages/${id}`)).status;
  assert.deepEqual([await status("planted"), await status("other")], [404, 200], "a page of another site has changed the index");
}

/** The pictures of the guide: a few days of news, made here. */
async function pictures() {
  const topics = ["Ferry to Naxos stopped by storm", "Library in the old mill opens on Sundays", "Bridge over the Vardar closed until spring", "Olive harvest begins two weeks late", "City council votes on tram line", "Lighthouse lamp sold to museum", "School kitchens cook with local beans", "Night train returns after ten years"];
  const sites = ["herald.example", "courier.example", "islands-today.example", "morning-post.example", "evening-star.example", "harbour-news.example", "valley-times.example"];
  const words = "captain quay harbour council minister teacher farmer engineer ticket window winter morning station kitchen garden bridge village paper letter valley storm engine market island ladder mountain weather signal river summer".split(" ");
  let seed = 7;
  const random = (below) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
  const sentence = () => Array.from({ length: 11 }, () => words[random(words.length)] + (random(3) ? "" : random(90))).join(" ") + ". ";
  const news = topics.flatMap((title, topic) => {
    const text = Array.from({ length: 14 }, sentence), size = [14, 3, 9, 2, 6, 1, 4, 5][topic], start = Date.UTC(2026, 10, 1 + topic % 5, 7 + topic);
    return Array.from({ length: size }, (_, n) => {
      const own = text.map((line, at) => (n && (n * at) % 7 === 3 ? line.replace("storm", "gale").replace("market", "fair") : line));
      const kept = n % 5 === 4 ? own.slice(0, 5) : n % 6 === 5 ? own.concat(Array.from({ length: 18 }, sentence)) : own;
      const site = sites[(n * (topic + 2) + topic) % sites.length];
      return { id: `${site}/${topic}-${n}`, url: `http://${site}/${topic}-${n}`, date: new Date(start + n * n * 1700000).toISOString(), title: n % 4 === 3 ? title + ": what we know" : title, text: kept.join("") };
    });
  });
  writeFileSync(join(work, "news.jsonl"), news.map((page) => JSON.stringify(page)).join("\n"));
  run("index", "create", "news");
  run("index", "add", "news", "news.jsonl", "-q");
  const service = await serve("news");
  for (const [name, hash] of [["home", ""], ["story", "#/story/" + encodeURIComponent(news[0].id)]]) {
    const { page, done } = await open(service.address, hash, { width: 1100, height: 860 });
    await page.waitForFunction(() => document.querySelector("#view").children.length && !document.querySelector("#said").textContent);
    await page.screenshot({ path: join(shots, `newsroom-${name}.png`) });
    await done();
  }
  assert.equal(await service.stop(), 0);
}

const service = await serve("ix");
try {
  await hostile(service.address);
  { // A pasted text: matches, and passages on both sides.
    const { page, done } = await open(service.address, "", undefined, undefined, /status of 404/);
    await ask(page, `My own first line.\n${story}`);
    await page.waitForSelector("#left mark");
    assert.match(await page.textContent("#found"), /5 pages of the index/);
    const rows = await page.$$eval("#matches .row .head:first-child a", (nodes) => nodes.map((node) => node.textContent));
    assert.ok(rows.includes("短讯") && rows.includes(evil) && rows.includes("Storm over the islands") && !rows.includes("other"), rows.join());
    for (const side of ["#left", "#right"]) {
      const marked = await page.$$eval(`${side} mark`, (nodes) => nodes.map((node) => node.textContent).join(" "));
      assert.ok(marked.includes("the captain of boat 62 told passenger 34"), marked);
      assert.ok(!marked.includes("My own first line"), marked);
    }
    // The text itself with the passages that are known, and from where, its own line not among them.
    const known = await page.$$eval("#text mark", (nodes) => nodes.map((node) => node.textContent).join(" "));
    assert.ok(known.includes("the captain of boat 62 told passenger 34") && !known.includes("My own first line"), known);
    await page.click("#text mark");
    assert.match(await page.textContent("#where"), /[45] other pages have this passage: .*week/);
    // So short a line is nothing of its own; a sentence is, and only it has to be read.
    assert.match(await page.textContent("#adds"), /adds nothing/);
    const own = "Nobody of the nineteen sailors was hurt, the company told reporters on Tuesday in a short statement.";
    await ask(page, `${own}\n${story}`);
    await page.waitForSelector("#adds blockquote");
    assert.equal(await page.textContent("#adds blockquote"), own);
    // Addresses that are none of the web's do not become links.
    assert.equal((await page.$$("a[href^=javascript]")).length, 0);
    // Another match, and a passage found on the other side.
    await page.click(".row:has(a:text-is('短讯')) button");
    await page.waitForFunction(() => document.querySelector("#right h4").textContent.includes("短讯"));
    await page.click("#left mark");
    assert.equal((await page.$$("mark.now")).length, 2);
    await done();
  }
  { // Home, a story, a page of it; all of them links.
    const { page, done } = await open(service.address);
    await page.waitForSelector(".numbers");
    const numbers = await page.$$eval(".numbers dd", (nodes) => nodes.map((node) => node.textContent));
    assert.deepEqual(numbers.slice(3, 5), [String(pages.length), "5"], numbers.join());
    assert.match(await page.textContent("table:has(caption:text-is('Sites that publish first'))"), /first\.example\s*2/);
    const saved = page.waitForEvent("download");
    await page.click("section:has(h3:text-is('Biggest stories')) button:has-text('CSV')");
    const table = readFileSync(await (await saved).path(), "utf8");
    assert.ok(table.startsWith('\ufeff"id","title"') && table.includes(`"'=Gardens"`), table);
    await page.click(".card a:has-text('Storm over the islands')");
    await page.waitForSelector("#time li");
    assert.equal(await page.evaluate(() => location.hash), "#/story/" + encodeURIComponent(pages[0].id));
    const told = await page.$$eval("#time li", (nodes) => nodes.map((node) => [...node.querySelectorAll(".tag")].map((tag) => tag.textContent).join("; ")));
    assert.equal(told.length, 5, told.join(" | "));
    assert.equal(told[0], "first published");
    assert.match(told[1], /^edited from first\.example$/);
    assert.match(told.join(" | "), /excerpt; shortened from .*round-up; extended from /);
    assert.match(await page.textContent("#time li:first-child"), /2026-11-01 08:00.*Storm over the islands.*first\.example/s);
    assert.match(await page.textContent("#time li:nth-child(2)"), /4 words added, 4 cut, 0 replaced/);
    await page.click("#time li:nth-child(2) button");
    // What was cut is the headline, which stands in the text of the first.
    await page.waitForSelector("#time li:nth-child(2) ins");
    assert.equal(await page.textContent("#time li:nth-child(2) del"), "Storm over the islands");
    assert.equal(await page.textContent("#time li:nth-child(2) ins"), "Read more news tomorrow.");
    assert.ok((await page.$$("svg.graph .edge")).length >= 3);
    await page.click("#time li:nth-child(2) a");
    await page.waitForSelector("#text mark");
    await page.click("#text mark");
    assert.match(await page.textContent("#where"), /\d+ other pages? ha.* this passage: /);
    await page.goBack();
    await page.waitForSelector("#time li");
    await done();
  }
  { // Filters stand in the address, and what stands there is filled in.
    const { page, done } = await open(service.address, "#/stories?site=copy.example&sort=recent");
    await page.waitForSelector(".card");
    assert.deepEqual(await page.$$eval(".card a", (nodes) => nodes.map((node) => node.textContent)), ["=Gardens", "Storm over the islands"]);
    await page.fill("#filter-q", "gardens");
    await page.click(".filters button");
    await page.waitForFunction(() => document.querySelectorAll(".card").length === 1 && /q=gardens/.test(location.hash));
    assert.equal(await page.inputValue("#filter-site"), "copy.example");
    await page.fill("#filter-site", "nobody.example");
    await page.click(".filters button");
    await page.waitForSelector("text=No stories match these filters.");
    await done();
  }
  { // HTML, an id, a URL, words of a title and of a text, nothing.
    const { page, done } = await open(service.address, "", undefined, undefined, /status of 404/);
    await ask(page, pages[0].html);
    await page.waitForSelector("#matches .row");
    await ask(page, "copy-1");
    await page.waitForFunction(() => /“copy-1” is in the index/.test(document.querySelector("#found")?.textContent));
    await page.goto(service.address + "/#/");
    await page.waitForSelector(".numbers");
    // A URL that is not the id.
    await ask(page, "http://copy.example/a");
    await page.waitForFunction(() => /“copy-1” is in the index/.test(document.querySelector("#found")?.textContent));
    await ask(page, "http://nobody.example/a");
    await page.waitForFunction(() => /No page of the index has this address/.test(document.querySelector("#found")?.textContent));
    await ask(page, "Storm ISLANDS");
    await page.waitForFunction(() => location.hash === "#/search?q=Storm+ISLANDS" && document.querySelectorAll(".card").length === 1);
    await ask(page, "TULIPS behind");
    await page.waitForFunction(() => /tulips/.test(document.querySelector(".card .excerpt")?.textContent) && document.querySelectorAll(".card").length === 1);
    await ask(page, "Nobody has ever written this sentence before, nor will anybody write it again.");
    await page.waitForFunction(() => /No page of the index repeats this text/.test(document.querySelector("#found")?.textContent));
    assert.ok(await page.isHidden("#why"));
    await done();
  }
  // Every view on a desk and on a phone, in both themes and languages: nothing is wider than the screen, and axe finds nothing serious.
  const axe = readFileSync(join(root, "tests/browser/node_modules/axe-core/axe.min.js"), "utf8");
  const views = { home: "#/", stories: "#/stories", story: "#/story/" + encodeURIComponent(pages[0].id), page: "#/page/copy-1", search: "#/search?q=tulips", old: "#id=copy-1" };
  const looks = [["desk", { width: 1280, height: 900 }, "light", "en-US"], ["phone", { width: 390, height: 844 }, "dark", "zh-CN"]];
  for (const [name, size, scheme, locale] of looks) {
    for (const [view, hash] of Object.entries(views)) {
      const { page, done } = await open(service.address, hash, size, scheme, undefined, locale);
      await page.waitForFunction(() => document.querySelector("#view").children.length && !document.querySelector("#said").textContent);
      assert.equal(await page.getAttribute("html", "lang"), locale === "zh-CN" ? "zh-CN" : "en");
      const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(over <= 0, `${view} on a ${name} is ${over} px too wide`);
      await page.evaluate(axe);
      const found = await page.evaluate(() => window.axe.run());
      const serious = found.violations.filter((rule) => ["serious", "critical"].includes(rule.impact));
      assert.deepEqual(serious.map((rule) => `${rule.id}: ${rule.nodes.map((node) => node.html).slice(0, 3).join(" ")}`), [], `${view} on a ${name}`);
      await page.screenshot({ path: join(shots, `service-${view}-${name}.png`), fullPage: true });
      await done();
    }
  }
  assert.equal(await service.stop(), 0);
  { // With tokens: it asks for one, and goes on with it.
    const locked = await serve("ix", "--token-file", "tokens");
    const { page, done } = await open(locked.address, "", undefined, undefined, /status of 40[14]/);
    await ask(page, `${story}`);
    await page.waitForSelector("#token", { state: "visible" });
    assert.match(await page.textContent("#said"), /a token is needed/);
    await page.fill("#token", "correct-horse-battery");
    await page.click("#lock button");
    await page.waitForSelector(".numbers");
    await ask(page, story);
    await page.waitForSelector("#matches .row");
    await done();
    assert.equal(await locked.stop(), 0);
  }
  await pictures();
  console.log("ok service");
} finally {
  for (const context of Object.values(contexts)) await context.close();
  rmSync(work, { recursive: true, force: true });
}
