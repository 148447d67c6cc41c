// Charts as SVG, drawn for the width there is, so that letters keep their size on small screens.

/** An element that draws itself again when its width changes. */
function drawn(draw) {
  const box = el("div", { class: "chart" });
  let width = 0;
  new ResizeObserver(() => {
    const now = Math.round(box.clientWidth);
    if (now && now !== width) box.replaceChildren(draw((width = now)));
  }).observe(box);
  return box;
}

const margin = { left: 62, right: 14, top: 14, bottom: 44 };

/** 1, 10, 100 … up to the power of ten that holds `most`. */
function decades(most) {
  const ticks = [1];
  while (ticks[ticks.length - 1] < most) ticks.push(ticks[ticks.length - 1] * 10);
  return ticks;
}

/** The place of a count on a logarithmic axis from just below 1 (so that a 1 can be seen) to `top`. */
const logHeight = (n, top) => (n <= 0 ? 0 : (Math.log10(n) + 0.25) / (Math.log10(top) + 0.25));

function short(n) {
  return n >= 1e9 ? `${n / 1e9}G` : n >= 1e6 ? `${n / 1e6}M` : n >= 1e4 ? `${n / 1e3}k` : count(n);
}

/**
 * Bars over an axis. `bars`: {at, to (both 0 to 1), parts: [[count, class]], label}; stacked parts are drawn one over the
 * other by their sums. Options: title, x, y (axis names), xTicks [[0..1, text]], log, marker {at, text}.
 */
function barChart(bars, options) {
  return drawn((width) => {
    const height = Math.min(300, Math.max(210, Math.round(width * 0.5)));
    const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
    const sums = bars.map((bar) => bar.parts.reduce((sum, part) => sum + part[0], 0));
    const most = Math.max(1, ...sums);
    const yTicks = options.log ? decades(most) : linearTicks(most);
    const top = yTicks[yTicks.length - 1];
    const y = (n) => margin.top + inner.height * (1 - (options.log ? logHeight(n, top) : n / top));
    const x = (at) => margin.left + inner.width * at;
    const base = margin.top + inner.height;
    const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": options.title });
    for (const tick of thin(yTicks, 7)) {
      root.append(svg("line", { class: "grid", x1: margin.left, x2: width - margin.right, y1: y(tick), y2: y(tick) }),
        svg("text", { class: "tick", x: margin.left - 6, y: y(tick) + 4, "text-anchor": "end" }, short(tick)));
    }
    bars.forEach((bar, number) => {
      if (!sums[number]) return;
      const group = svg("g", {}, svg("title", {}, bar.label));
      const left = x(bar.at);
      const gap = (x(bar.to) - left) > 5 ? 1 : 0;
      let below = 0;
      for (const [n, kind] of bar.parts) {
        if (!n) continue;
        group.append(svg("rect", { class: kind, x: left + gap / 2, y: y(below + n), width: Math.max(1, x(bar.to) - left - gap),
          height: Math.max(1, (below ? y(below) : base) - y(below + n)) }));
        below += n;
      }
      group.append(svg("rect", { class: "hover", x: left, y: margin.top, width: Math.max(1, x(bar.to) - left), height: inner.height }));
      root.append(group);
    });
    root.append(svg("line", { class: "axis", x1: margin.left, x2: width - margin.right, y1: base, y2: base }));
    const ticks = options.xTicks(inner.width);
    for (const [at, text] of ticks) {
      const anchor = at < 0.02 ? "start" : at > 0.98 ? "end" : "middle";
      root.append(svg("text", { class: "tick", x: x(at), y: base + 16, "text-anchor": anchor }, text));
    }
    root.append(svg("text", { class: "name", x: margin.left + inner.width / 2, y: height - 6, "text-anchor": "middle" }, options.x),
      svg("text", { class: "name", x: 0, y: 0, "text-anchor": "middle", transform: `translate(13 ${margin.top + inner.height / 2}) rotate(-90)` }, options.y));
    if (options.marker) {
      const at = x(options.marker.at);
      const side = options.marker.at > 0.6 ? "end" : "start";
      root.append(svg("line", { class: "marker", x1: at, x2: at, y1: margin.top, y2: base }),
        svg("text", { class: "markername", x: at + (side === "end" ? -5 : 5), y: margin.top + 10, "text-anchor": side }, options.marker.text));
    }
    return root;
  });
}

function linearTicks(most) {
  const step = [1, 2, 5].flatMap((n) => [n, n * 10, n * 100, n * 1e3, n * 1e4, n * 1e5, n * 1e6, n * 1e7, n * 1e8])
    .sort((a, b) => a - b).find((n) => most / n <= 5) || most;
  const ticks = [];
  for (let tick = 0; tick < most + step; tick += step) ticks.push(tick);
  return ticks;
}

/** At most so many of the ticks, evenly. */
function thin(ticks, most) {
  const step = Math.ceil(ticks.length / most);
  return ticks.filter((_, at) => at % step === 0);
}

/** The same, the first and the last among them. */
function toTheEnd(ticks, most) {
  const [few, last] = [thin(ticks, most), ticks.length - 1];
  const step = Math.ceil(ticks.length / most);
  // The one before the last gives way where the two would touch.
  if (last % step) few.splice(last % step < step / 2 && few.length > 1 ? few.length - 1 : few.length, 1, ticks[last]);
  return few;
}

/** Names of things with bars and values, as a table. */
function barTable(rows, caption) {
  const most = Math.max(...rows.map((row) => row.value), 1e-9);
  return el("table", { class: "bars" }, el("caption", { class: "hidden" }, caption), el("tbody", {}, rows.map((row) => {
    const bar = el("span", { class: "bar" });
    bar.style.width = `${Math.max(0.5, 100 * row.value / most)}%`;
    return el("tr", {}, el("th", { scope: "row" }, row.name), el("td", { class: "barcell" }, bar), el("td", { class: "num" }, row.text));
  })));
}

function legend(...entries) {
  return el("p", { class: "legend" }, entries.map(([kind, text]) => el("span", {}, el("i", { class: kind }), text)));
}
