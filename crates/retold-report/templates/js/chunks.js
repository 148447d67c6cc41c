// The data of the page: chunks of JSON, parsed when something in them is looked at.

/** The parsed chunk `<kind>-<number>`, or null. The text of the chunk is let go unless it is to be read again. */
function chunk(kind, number, again = false) {
  const node = document.getElementById(`${kind}-${number}`);
  if (!node) return null;
  const data = JSON.parse(node.textContent);
  if (!again) node.remove();
  return data;
}

const tables = chunk("tables", 0);
const overview = chunk("overview", 0);
const run = chunk("run", 0);

/** Keeps the last few parsed chunks of a kind. */
class Chunks {
  constructor(kind, size, kept) {
    Object.assign(this, { kind, size, kept, cache: new Map() });
  }
  at(index) {
    const number = Math.floor(index / this.size);
    let data = this.cache.get(number);
    if (data === undefined) {
      data = chunk(this.kind, number, true);
      if (this.cache.size >= this.kept) this.cache.delete(this.cache.keys().next().value);
      this.cache.set(number, data);
    }
    return data ? data[index % this.size] : null;
  }
}

// Numbers for people.

const whole = new Intl.NumberFormat("en-US");
const count = (n) => whole.format(n);
const plural = (n, one, many = one + "s") => filled(`{} ${many}`, [count(n)]) ?? `${count(n)} ${n === 1 ? one : many}`;

function bytes(n) {
  const units = ["", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (n >= 1024 && unit < 4) { n /= 1024; unit++; }
  return unit ? `${n.toFixed(n < 10 ? 2 : 1)} ${units[unit]}` : t`${count(n)} bytes`;
}

function percent(part, all) {
  return all ? `${(100 * part / all).toFixed(1)} %` : "0 %";
}

