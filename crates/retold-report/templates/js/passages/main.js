// Routes and keys.

const views = [["#/", "Overview"], ["#/passages", "Passages"]];
const keyHelp = [["1, 2", "overview, passages"], ["/", "search"], ["← →", "previous and next"], ["Esc", "back"], ["?", "this help"]];

function navigate() {
  const [name, ...numbers] = location.hash.replace(/^#\/?/, "").split("/");
  const [one, other] = numbers.map(Number);
  drawNav(name ? 1 : 0);
  if (!name) showOverview();
  else if (name === "passages") showPassages();
  else if (name === "passage") showPassage(one);
  else if (name === "page") showPage(one, other);
  else if (name === "pair") showPair(one, other);
  else show(el("p", { class: "empty" }, "There is no such view. "), el("a", { href: "#/" }, "Overview"));
}

function goBack() {
  const back = document.querySelector(".back a");
  location.hash = back ? back.getAttribute("href") : "#/";
}

const keys = {
  "?": help, 1: () => { location.hash = "#/"; }, 2: () => { location.hash = "#/passages"; }, Escape: goBack,
  ArrowLeft: () => follow("previous"), ArrowRight: () => follow("next"), "/": () => toSearch("#/passages"),
};

const drawTheme = themes();
languages(() => { drawTheme(); navigate(); });
document.addEventListener("keydown", (e) => onKey(e, keys));
window.addEventListener("hashchange", navigate);
navigate();
document.body.dataset.ready = "true";
