// What pages of all kinds have: navigation, theme, keys, tiles and times. `views` and `keyHelp` are each kind's own.

function drawNav(at) {
  document.getElementById("nav").replaceChildren(...views.map(([href, text], number) => el("a", { href, "aria-current": number === at ? "page" : null }, text)));
}

/** Automatic, light, dark, and round again; remembered where the browser lets a file remember. Returns what draws the button again. */
function themes() {
  const button = document.getElementById("theme");
  const names = { auto: "◐ auto", light: "○ light", dark: "● dark" };
  let now = "auto";
  try { now = localStorage.getItem("retold-theme") || "auto"; } catch { /* files may have no storage */ }
  const apply = () => {
    if (!names[now]) now = "auto";
    if (now === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = now;
    button.textContent = tr(names[now]);
    button.setAttribute("aria-label", t`Theme: ${tr(names[now]).slice(2)}`);
  };
  button.addEventListener("click", () => {
    const order = Object.keys(names);
    now = order[(order.indexOf(now) + 1) % 3];
    try { localStorage.setItem("retold-theme", now); } catch { /* it is forgotten then */ }
    apply();
  });
  apply();
  return apply;
}

function help() {
  const dialog = document.getElementById("help");
  if (dialog.open) return dialog.close();
  dialog.replaceChildren(el("h2", {}, "Keys"), el("dl", { class: "pairs" }, keyHelp.map(([key, text]) => [el("dt", {}, key), el("dd", {}, text)])), el("button", { type: "button", onclick: () => dialog.close() }, "Close"));
  dialog.showModal();
}

function follow(id) {
  const link = document.getElementById(id);
  if (link) link.click();
}

/** Puts the cursor into the search field, which a view has. */
function toSearch(view) {
  const focus = () => { const search = document.getElementById("search"); if (search) search.focus(); };
  if (document.getElementById("search")) return focus();
  // The view is drawn first.
  window.addEventListener("hashchange", focus, { once: true });
  location.hash = view;
}

function onKey(e, keys) {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
  if (typing) { if (e.key === "Escape") e.target.blur(); return; }
  if (document.getElementById("help").open) return;
  const inText = e.target.closest && e.target.closest(".scroll");
  if (!keys[e.key] || (inText && e.key.startsWith("Arrow"))) return;
  e.preventDefault();
  keys[e.key]();
}

function tile(name, value, note, kind) {
  return el("div", { class: `tile ${kind || ""}` }, el("dt", {}, name), el("dd", {}, value, note ? el("small", {}, note) : null));
}

/** What differs from run to run; all of it comes from the chunk `run`. */
function runSection() {
  if (!run) return null;
  const all = run.seconds.reduce((sum, [, seconds]) => sum + seconds, 0);
  return section("Time per stage",
    barTable(run.seconds.map(([name, seconds]) => ({ name: told(name), value: seconds, text: `${seconds.toFixed(2)} s` })), "Seconds per stage"),
    el("p", { class: "note" }, t`Retold ${run.version}, ${all.toFixed(1)} s on ${plural(run.threads, "thread")}`, run.peak_memory ? t`, at most ${bytes(run.peak_memory)} of memory` : "", "."));
}

