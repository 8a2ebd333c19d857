import { type Columns, createColumns, MAIN, NONE } from "../model/columns.ts";
import { typeCode } from "../model/thought-types.ts";

/** The types that usually follow each type in an agent's reasoning. */
const FOLLOWING: Readonly<Record<string, string>> = {
  O: "QEEOH",
  Q: "OEHEO",
  H: "EEEAX",
  E: "EEECHQ",
  C: "PPHQ",
  P: "EEOO",
  A: "EHE",
  R: "EHC",
  X: "HOQ",
};
const SENTENCES = [
  "the feed returns prices in cents, not euros",
  "page 7 repeats page 6",
  "two suppliers share one catalogue id",
  "a retry after 429 waits too long",
  "the sitemap lists 4,112 items, we saw 3,980",
  "the delta endpoint misses deletions",
  "stock is updated only at midnight",
  "the parser drops variants without a size",
  "the cache returned an old page",
];

/** Creates a seeded generator (mulberry32), so that the session is the same each time. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

type Line = { chain: number; left: number; fate: string; last: string };

/** Writes a long session like an agent's: a main line, branches up to two deep, dead ends, a few revisions. */
export function writeLongSession(size: number, start = Date.UTC(2026, 10, 9, 20), seed = 61): Columns {
  const columns = createColumns(size);
  const roll = dice(seed);
  const lines: Line[] = [{ chain: MAIN, left: Number.POSITIVE_INFINITY, fate: "C", last: "O" }];
  let time = start;
  while (columns.size < size) {
    let line = lines.at(-1) as Line;
    if (line.left <= 0) {
      lines.pop();
      continue;
    }
    const tail = columns.chains[line.chain]?.thoughts.at(-1) ?? columns.chains[line.chain]?.fork ?? NONE;
    const forkRate = lines.length === 1 ? 0.045 : lines.length === 2 ? 0.06 : 0;
    if (columns.size > 6 && tail >= 0 && roll() < forkRate) {
      const chain = columns.openChain(`try-${columns.chains.length}`, tail);
      line = {
        chain,
        left: 3 + Math.floor(roll() * roll() * 34),
        fate: roll() < 0.45 ? "X" : "C",
        last: "O",
      };
      lines.push(line);
    }
    const own = columns.chains[line.chain]?.thoughts ?? [];
    const parent = own.at(-1) ?? columns.chains[line.chain]?.fork ?? NONE;
    const options = FOLLOWING[line.last] ?? "E";
    let letter = options[Math.floor(roll() * options.length)] ?? "E";
    if (letter === "X" && line.chain === MAIN) letter = "E";
    let revises = NONE;
    if (--line.left === 0) letter = line.fate;
    else if (own.length > 6 && roll() < 0.02) {
      letter = "R";
      revises = own[own.length - 1 - Math.floor(roll() * 5)] ?? NONE;
    }
    line.last = letter;
    time += 1000 * (2 + Math.floor(roll() * 5));
    columns.append({
      chain: line.chain,
      number: 1 + (parent < 0 ? 0 : (columns.number[parent] ?? 0)),
      parent,
      type: typeCode(letter),
      revises,
      time,
      text: SENTENCES[Math.floor(roll() * SENTENCES.length)] ?? "",
    });
  }
  return columns;
}
