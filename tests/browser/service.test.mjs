// Opens the page of `retold serve` in Debian's chromium, asks, and saves screenshots to target/screenshots.
//   node tests/browser/service.test.mjs            (after cargo build --release; RETOLD names another binary)
// Prints "skipped: no chromium" where there is none, which fails if CI is set; and fails on any console message of level error and any other host.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
const evil = "<img src=x onerror='window.hacked=1'><script>window.hacked=2</scr" + "ipt>";
const pages = [
  { id: "http://first.example/storm", url: "http://first.example/storm", date: "2026-11-01T08:00:00Z", html: `<title>Storm over the islands</title><article><h1>Storm over the islands</h1><p>${story}</p></article>` },
  { id: "copy-1", url: "http://copy.example/a", date: "2026-11-02", text: `${story} Read more news tomorrow.` },
  { id: "短讯", url: "http://短.example/", date: "2026-11-03", text: story.split(". ").slice(0, 5).join(". ") + "." },
  { id: evil, url: "javascript:window.hacked=3", date: "2026-11-04", text: `${evil} ${story}` },
  { id: "other", date: "2026-11-04", text: "Nine gardens can be seen on Saturday. The tour begins at the church, and tickets are sold at the gate of the first garden." },
];
const run = (...words) => { const ran = spawnSync(retold, words, { encoding: "utf8", cwd: work }); assert.equal(ran.status, 0, ran.stderr); };
writeFileSync(join(work, "pages.jsonl"), pages.map((page) => JSON.stringify(page)).join("\n"));
writeFileSync(join(work, "tokens"), "correct-horse-battery\n", { mode: 0o600 });
run("index", "create", "ix");
run("index", "add", "ix", "pages.jsonl", "-q");

async function serve(...more) {
  const child = spawn(retold, ["serve", "ix", "--listen", "127.0.0.1:0", "-q", ...more], { cwd: work });
  const [line] = await new Promise((done) => createInterface(child.stdout).once("line", (...line) => done(line)));
  return { address: line.split(" ").pop(), stop: () => new Promise((done) => { child.once("exit", done); child.kill(); }) };
}

const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP evil.example 127.0.0.1"];
const context = await driver.launchPersistentContext(join(work, "profile"), { executablePath: chromium, headless: true, args: flags });

/** Opens the page in a new tab. `allowed`: console errors that may come. */
async function open(address, hash = "", size = { width: 1400, height: 900 }, scheme = "light", allowed = /^$/) {
  const page = await context.newPage();
  const errors = [];
  page.on("console", (message) => message.type() === "error" && !allowed.test(message.text()) && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("request", (request) => request.url().startsWith(address + "/") || request.url().startsWith("data:") || errors.push(`asked ${request.url()}`));
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: scheme });
  await page.goto(address + "/" + hash);
  return { page, done: async () => { assert.equal(await page.evaluate(() => window.hacked), undefined); await page.close(); assert.deepEqual(errors, []); } };
}
const ask = async (page, text) => { await page.fill("#what", text); await page.click("button:has-text('Look it up')"); };

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

const service = await serve();
try {
  await hostile(service.address);
  { // A pasted text: matches, passages on both sides, the story.
    const { page, done } = await open(service.address, "", undefined, undefined, /status of 404/);
    await ask(page, `My own first line.\n${story}`);
    await page.waitForSelector("#time li");
    const said = await page.textContent("#said");
    assert.match(said, /4 pages of the index/);
    const rows = await page.$$eval("#matches .row strong", (nodes) => nodes.map((node) => node.textContent));
    assert.ok(rows.includes("短讯") && rows.includes(evil) && rows.includes("Storm over the islands") && !rows.includes("other"), rows.join());
    for (const side of ["#left", "#right"]) {
      const marked = await page.$$eval(`${side} mark`, (nodes) => nodes.map((node) => node.textContent).join(" "));
      assert.ok(marked.includes("the captain of boat 62 told passenger 34"), marked);
      assert.ok(!marked.includes("My own first line"), marked);
    }
    assert.deepEqual(await page.$$eval("#time li", (nodes) => nodes.map((node) => node.querySelector(".tag").textContent.split(",")[0])), ["first", "copied", "shortened", "copied"]);
    assert.match(await page.textContent("#time li:first-child"), /2026-11-01 08:00.*Storm over the islands.*first\.example/s);
    // Addresses that are none of the web's do not become links.
    assert.equal((await page.$$("a[href^=javascript]")).length, 0);
    // Another match, and a passage found on the other side.
    await page.click(".row:has(strong:text-is('短讯')) button");
    await page.waitForFunction(() => document.querySelector("#right h3").textContent.includes("短讯"));
    await page.click("#left mark");
    assert.equal((await page.$$("mark.now")).length, 2);
    await done();
  }
  { // HTML, an id, a URL, a link to an id, nothing.
    const { page, done } = await open(service.address, "", undefined, undefined, /status of 404/);
    await ask(page, pages[0].html);
    await page.waitForSelector("#time li");
    await ask(page, "copy-1");
    await page.waitForFunction(() => /“copy-1” is in the index/.test(document.querySelector("#said").textContent));
    await page.waitForSelector("#time li");
    // A URL that is not the id.
    await ask(page, "http://copy.example/a");
    await page.waitForFunction(() => /“copy-1” is in the index/.test(document.querySelector("#said").textContent));
    await ask(page, "http://nobody.example/a");
    await page.waitForFunction(() => /No page of the index has this URL/.test(document.querySelector("#said").textContent));
    await ask(page, "Nobody has ever written this sentence before, nor will anybody write it again.");
    await page.waitForFunction(() => /No page of the index repeats it/.test(document.querySelector("#said").textContent));
    assert.ok(await page.isHidden("#why") && await page.isHidden("#story"));
    await done();
  }
  // Both widths in both themes; nothing is wider than the screen.
  for (const [name, size] of Object.entries({ wide: { width: 1400, height: 900 }, narrow: { width: 360, height: 760 } })) {
    for (const scheme of ["light", "dark"]) {
      const { page, done } = await open(service.address, "#id=" + encodeURIComponent("copy-1"), size, scheme);
      await page.waitForSelector("#time li");
      await page.waitForSelector("mark");
      const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(over <= 0, `${name} is ${over} px too wide`);
      await page.screenshot({ path: join(shots, `service-${name}-${scheme}.png`), fullPage: true });
      await done();
    }
  }
  assert.equal(await service.stop(), 0);
  { // With tokens: it asks for one, and goes on with it.
    const locked = await serve("--token-file", "tokens");
    const { page, done } = await open(locked.address, "", undefined, undefined, /status of 40[14]/);
    await ask(page, `${story}`);
    await page.waitForSelector("#token", { state: "visible" });
    assert.match(await page.textContent("#said"), /a token is needed/);
    await page.fill("#token", "correct-horse-battery");
    await page.click("button:has-text('Look it up')");
    await page.waitForSelector("#time li");
    await done();
    assert.equal(await locked.stop(), 0);
  }
  console.log("ok service");
} finally {
  await context.close();
  rmSync(work, { recursive: true, force: true });
}
