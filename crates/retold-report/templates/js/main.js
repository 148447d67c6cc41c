// Routes, keys and the theme.

const views = [["#/", "Overview"], ["#/clusters", "Clusters"]];

function navigate() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/");
  const name = parts[0] || "overview";
  stepPassage = null;
  drawNav(name === "overview" ? 0 : 1);
  const needsList = name !== "overview";
  if (needsList && !clusters.ready) return show(el("p", { class: "wait" }, "Reading the clusters…"));
  if (name === "overview") showOverview();
  else if (name === "clusters") showClusters(Object.fromEntries(new URLSearchParams(query || "")));
  else if (name === "cluster") showCluster(Number(parts[1]));
  else if (name === "pair") {
    const place = placeOf.get(Number(parts[1]));
    const pair = place === undefined ? null : pairOfCluster(place, Number(parts[2]), Number(parts[3]));
    if (pair) showPair(pair);
    else show(el("p", { class: "empty" }, "This pair is not in the report; pairs.jsonl has all pairs."));
  } else show(el("p", { class: "empty" }, "There is no such view. "), el("a", { href: "#/" }, "Overview"));
}

function drawNav(at) {
  document.getElementById("nav").replaceChildren(...views.map(([href, text], number) => el("a", { href, "aria-current": number === at ? "page" : null }, text)));
}

/** Automatic, light, dark, and round again; remembered where the browser lets a file remember. */
function themes() {
  const button = document.getElementById("theme");
  const names = { auto: "◐ auto", light: "○ light", dark: "● dark" };
  let now = "auto";
  try { now = localStorage.getItem("retold-theme") || "auto"; } catch { /* files may have no storage */ }
  const apply = () => {
    if (!names[now]) now = "auto";
    if (now === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = now;
    button.textContent = names[now];
    button.setAttribute("aria-label", `Theme: ${now}`);
  };
  button.addEventListener("click", () => {
    const order = Object.keys(names);
    now = order[(order.indexOf(now) + 1) % 3];
    try { localStorage.setItem("retold-theme", now); } catch { /* it is forgotten then */ }
    apply();
  });
  apply();
}

const keyHelp = [["1, 2", "overview, clusters"], ["/", "search"], ["↑ ↓, j k", "move in the list"], ["Enter", "open"], ["← →", "previous and next pair"], ["n, p", "next and previous shared passage"], ["Esc", "back"], ["?", "this help"]];

function help() {
  const dialog = document.getElementById("help");
  if (dialog.open) return dialog.close();
  dialog.replaceChildren(el("h2", {}, "Keys"), el("dl", { class: "pairs" }, keyHelp.map(([key, text]) => [el("dt", {}, key), el("dd", {}, text)])), el("button", { type: "button", onclick: () => dialog.close() }, "Close"));
  dialog.showModal();
}

function goBack() {
  const parts = location.hash.replace(/^#\/?/, "").split("/");
  if (parts[0] === "pair") location.hash = `#/cluster/${parts[1]}`;
  else if (parts[0] === "cluster") location.hash = "#/clusters";
  else location.hash = "#/";
}

function follow(id) {
  const link = document.getElementById(id);
  if (link) link.click();
}

function onKey(e) {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
  if (typing) { if (e.key === "Escape") e.target.blur(); return; }
  if (document.getElementById("help").open) return;
  const story = Boolean(theStory);
  const keys = {
    "?": help, n: () => stepPassage && stepPassage(1), p: () => stepPassage && stepPassage(-1),
    ...(story ? {} : {
      1: () => { location.hash = "#/"; }, 2: () => { location.hash = "#/clusters"; }, Escape: goBack,
      ArrowLeft: () => follow("previous"), ArrowRight: () => follow("next"),
      "/": () => { if (!document.getElementById("search")) { location.hash = "#/clusters"; navigate(); } const search = document.getElementById("search"); if (search) search.focus(); },
    }),
  };
  const inText = e.target.closest && e.target.closest(".scroll");
  if (!keys[e.key] || (inText && e.key.startsWith("Arrow"))) return;
  e.preventDefault();
  keys[e.key]();
}

themes();
document.addEventListener("keydown", onKey);
if (theStory) {
  showPair(pairOfStory(theStory));
} else {
  window.addEventListener("hashchange", navigate);
  navigate();
  // Reading the list begins once the first view is on the screen.
  requestAnimationFrame(() => setTimeout(() => readList(() => { if (document.querySelector(".wait")) navigate(); document.body.dataset.ready = "true"; })));
}
