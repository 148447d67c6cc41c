// Routes and keys.

const views = [["#/", "Overview"], ["#/clusters", "Clusters"]];

function navigate() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/");
  const name = parts[0] || "overview";
  stepPassage = null;
  drawNav(name === "overview" || name === "drop" ? 0 : 1);
  const needsList = name !== "overview" && name !== "drop";
  if (needsList && !clusters.ready) return show(el("p", { class: "wait" }, "Reading the clusters…"));
  if (name === "overview") showOverview();
  else if (name === "clusters") showClusters(Object.fromEntries(new URLSearchParams(query || "")));
  else if (name === "cluster") showCluster(Number(parts[1]));
  else if (name === "drop") {
    const pair = pairOfDrop(Number(parts[1]));
    if (pair) showPair(pair);
    else show(el("p", { class: "empty" }, "This dropped page is not in the report; dropped.jsonl has all."));
  } else if (name === "pair") {
    const place = placeOf.get(Number(parts[1]));
    const pair = place === undefined ? null : pairOfCluster(place, Number(parts[2]), Number(parts[3]));
    if (pair) showPair(pair);
    else show(el("p", { class: "empty" }, "This pair is not in the report; pairs.jsonl has all pairs."));
  } else show(el("p", { class: "empty" }, "There is no such view. "), el("a", { href: "#/" }, "Overview"));
}

const keyHelp = [["1, 2", "overview, clusters"], ["/", "search"], ["↑ ↓, j k", "move in the list"], ["Enter", "open"], ["← →", "previous and next pair"], ["n, p", "next and previous shared passage"], ["Esc", "back"], ["?", "this help"]];

function goBack() {
  const parts = location.hash.replace(/^#\/?/, "").split("/");
  if (parts[0] === "pair") location.hash = `#/cluster/${parts[1]}`;
  else if (parts[0] === "cluster") location.hash = "#/clusters";
  else location.hash = "#/";
}

const keys = {
  "?": help, n: () => stepPassage && stepPassage(1), p: () => stepPassage && stepPassage(-1),
  ...(theStory ? {} : {
    1: () => { location.hash = "#/"; }, 2: () => { location.hash = "#/clusters"; }, Escape: goBack,
    ArrowLeft: () => follow("previous"), ArrowRight: () => follow("next"),
    "/": () => toSearch("#/clusters"),
  }),
};

const drawTheme = themes();
languages(() => {
  drawTheme();
  view = null;
  if (theStory) showPair(pairOfStory(theStory));
  else navigate();
});
document.addEventListener("keydown", (e) => onKey(e, keys));
if (theStory) {
  showPair(pairOfStory(theStory));
} else {
  window.addEventListener("hashchange", navigate);
  navigate();
  // Reading the list begins once the first view is on the screen.
  requestAnimationFrame(() => setTimeout(() => readList(() => { if (document.querySelector(".wait")) navigate(); document.body.dataset.ready = "true"; })));
}
