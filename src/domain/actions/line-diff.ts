/** For each line of the new text, the index of the matching line in the old text, or -1 if there is none. */
export type LineMap = Int32Array;

/** The maximum number of table cells per comparison. A table of this size takes a few dozen milliseconds. */
const mostCells = 4_000_000;

/**
 * Maps each line of the new text to the matching line of the old one. Matches common lines at both ends first, then the
 * longest common subsequence of the rest. If the rest is too large, splits it first at lines that occur once on both
 * sides. If a part still exceeds the limit, treats its lines as new.
 */
export function mapLines(oldLines: readonly string[], newLines: readonly string[]): LineMap {
  const map = new Int32Array(newLines.length).fill(-1);
  const whole = { oldFrom: 0, oldTo: oldLines.length, from: 0, to: newLines.length };
  const differing = matchEnds(oldLines, newLines, whole, map);
  if (differing.from === differing.to || differing.oldFrom === differing.oldTo) return map;
  const numbers = new Map<string, number>();
  const [old, now] = [oldLines, newLines].map((lines) => lines.map(numberOf));
  if (!old || !now) return map;
  const waiting = [differing];
  let cells = mostCells;
  for (let part = waiting.pop(); part; part = waiting.pop()) {
    const rest = matchEnds(old, now, part, map);
    if (rest.from === rest.to || rest.oldFrom === rest.oldTo) continue;
    const needed = (rest.to - rest.from + 1) * (rest.oldTo - rest.oldFrom + 1);
    if (needed > cells) waiting.push(...cutAtAnchors(old, now, rest));
    else {
      cells -= needed;
      matchCommon(old, now, rest, map);
    }
  }
  return map;

  function numberOf(line: string): number {
    const number = numbers.get(line) ?? numbers.size;
    numbers.set(line, number);
    return number;
  }
}

/** Adjacent lines that occur only in the old text, and the index of the new line that follows them. */
export type RemovedLines = { oldAt: number; before: number; lines: readonly string[] };

/** Returns the lines that only the old text contains. Compares lines by `keyOf`. */
export function findRemoved(
  oldLines: readonly string[],
  newLines: readonly string[],
  keyOf: (line: string) => string,
): RemovedLines[] {
  const removed: RemovedLines[] = [];
  let [oldAt, before] = [0, 0];
  const skipTo = (end: number) => {
    if (end > oldAt) removed.push({ oldAt, before, lines: oldLines.slice(oldAt, end) });
    oldAt = end + 1;
  };
  for (const [at, from] of mapLines(oldLines.map(keyOf), newLines.map(keyOf)).entries()) {
    if (from === -1) continue;
    skipTo(from);
    before = at + 1;
  }
  skipTo(oldLines.length);
  return removed;
}

type Part = { oldFrom: number; oldTo: number; from: number; to: number };

function matchEnds<Line>(old: readonly Line[], now: readonly Line[], part: Part, map: LineMap): Part {
  let { oldFrom, oldTo, from, to } = part;
  while (from < to && oldFrom < oldTo && now[from] === old[oldFrom]) map[from++] = oldFrom++;
  while (from < to && oldFrom < oldTo && now[to - 1] === old[oldTo - 1]) map[--to] = --oldTo;
  return { oldFrom, oldTo, from, to };
}

function matchCommon(old: readonly number[], now: readonly number[], part: Part, map: LineMap): void {
  const { oldFrom, oldTo, from, to } = part;
  const width = to - from + 1;
  const height = oldTo - oldFrom;
  const longest = new Uint32Array((height + 1) * width);
  for (let row = height - 1; row >= 0; row -= 1)
    for (let column = width - 2; column >= 0; column -= 1) {
      const cell = row * width + column;
      longest[cell] =
        old[oldFrom + row] === now[from + column]
          ? (longest[cell + width + 1] ?? 0) + 1
          : Math.max(longest[cell + width] ?? 0, longest[cell + 1] ?? 0);
    }
  let [row, column] = [0, 0];
  while (row < height && column < width - 1) {
    const cell = row * width + column;
    if (old[oldFrom + row] === now[from + column]) map[from + column++] = oldFrom + row++;
    else if ((longest[cell + width] ?? 0) >= (longest[cell + 1] ?? 0)) row += 1;
    else column += 1;
  }
}

/** Splits a part at lines that occur once on both sides, in the same order. Empty if there are none. */
function cutAtAnchors(old: readonly number[], now: readonly number[], part: Part): Part[] {
  const oldPlaces = uniquePlaces(old, part.oldFrom, part.oldTo);
  const anchors: { at: number; oldAt: number }[] = [];
  for (const [line, at] of uniquePlaces(now, part.from, part.to)) {
    const oldAt = oldPlaces.get(line);
    if (at !== -1 && oldAt !== undefined && oldAt !== -1) anchors.push({ at, oldAt });
  }
  const parts: Part[] = [];
  let { oldFrom, from } = part;
  for (const { at, oldAt } of longestRising(anchors)) {
    parts.push(
      { oldFrom, oldTo: oldAt, from, to: at },
      { oldFrom: oldAt, oldTo: oldAt + 1, from: at, to: at + 1 },
    );
    [oldFrom, from] = [oldAt + 1, at + 1];
  }
  return parts.length === 0 ? [] : [...parts, { oldFrom, oldTo: part.oldTo, from, to: part.to }];
}

/** Maps each line to its index, or to -1 if the line occurs more than once. */
function uniquePlaces(lines: readonly number[], from: number, to: number): Map<number, number> {
  const places = new Map<number, number>();
  for (let at = from; at < to; at += 1) {
    const line = lines[at] ?? 0;
    places.set(line, places.has(line) ? -1 : at);
  }
  return places;
}

function longestRising(anchors: readonly { at: number; oldAt: number }[]): { at: number; oldAt: number }[] {
  const tails: number[] = [];
  const before = new Int32Array(anchors.length).fill(-1);
  anchors.forEach(({ oldAt }, index) => {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((anchors[tails[middle] ?? 0]?.oldAt ?? 0) < oldAt) low = middle + 1;
      else high = middle;
    }
    before[index] = low === 0 ? -1 : (tails[low - 1] ?? -1);
    tails[low] = index;
  });
  const rising: { at: number; oldAt: number }[] = [];
  for (let index = tails.at(-1) ?? -1; index !== -1; index = before[index] ?? -1) {
    const anchor = anchors[index];
    if (anchor) rising.push(anchor);
  }
  return rising.reverse();
}
