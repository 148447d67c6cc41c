// Pages for a run that finds very many clusters: every story of its own, in two or three copies.
import { createWriteStream } from "node:fs";
import { once } from "node:events";

let seed = 12345;
const random = (n) => { seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff; return (seed >> 8) % n; };
const words = "harbour bridge winter market engine garden letter window captain music river school doctor mountain paper silver bread candle forest island".split(" ");

/** Writes JSON Lines with so many stories. */
export async function generate(path, stories) {
  const out = createWriteStream(path);
  for (let story = 0; story < stories; story++) {
    const sentences = Array.from({ length: 5 }, (_, s) => `The ${words[random(20)]} of story ${story} met a ${words[random(20)]} and part ${s} was told by the ${words[random(20)]} of ${words[random(20)]} ${story}.`);
    const copies = 2 + (story % 3 === 0) + (story % 997 === 0 ? 20 : 0);
    for (let copy = 0; copy < copies; copy++) {
      const site = `site${(story * 7 + copy * 3) % 60}.example.com`;
      const date = new Date(Date.UTC(2024, 0, 1 + (story % 500) + copy)).toISOString().slice(0, 10);
      const more = copy === 2 ? Array.from({ length: 8 }, (_, s) => `Further remark ${s} on story ${story} by the ${words[random(20)]}.`) : [];
      const text = [...sentences, ...more, `Copy ${copy}`].join(" ");
      const line = JSON.stringify({ id: `${site}/${story}/${copy}`, url: `https://${site}/${story}/${copy}`, date, text }) + "\n";
      if (!out.write(line)) await once(out, "drain");
    }
  }
  out.end();
  await once(out, "close");
}
