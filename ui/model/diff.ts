export type DiffRun = {
  kind: "same" | "removed" | "added";
  text: string;
  /** Whether no space separates the run from the one before. */
  isGlued?: true;
};
export type WordDiff = { before: DiffRun[]; after: DiffRun[] };

/** Maximum words per side between the first and last change. The table has a cell for every pair of words. */
const MOST_WORDS = 1500;
const ENOUGH_SHARED = 0.6;

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");
/** The core of a word, or the punctuation around it. `isGlued` is set if no space precedes the piece. */
type Piece = { text: string; isGlued: boolean };
const pieces = (text: string): Piece[] =>
  words(text).flatMap((word) => {
    const [, before = "", core = "", after = ""] = /^([("'“‘[]*)(.*?)([.,:;!?)"'”’\]]*)$/su.exec(word) ?? [];
    return [before, core, after]
      .filter((part) => part !== "")
      .map((part, at) => ({ text: part, isGlued: at > 0 }));
  });
const bare = (word: string): string => word.toLowerCase().replace(/[.,:;]$/, "");

/**
 * Finds the words that a revision kept. Returns `undefined` if the texts share too little or are too long for a
 * useful diff. The old text is then shown above the new one.
 */
export function diffWords(before: string, after: string): WordDiff | undefined {
  const a = words(before);
  const b = words(after);
  const left = a.map(bare);
  const right = b.map(bare);
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && left[head] === right[head]) head++;
  let tail = 0;
  while (tail < shorter - head && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail++;
  const inner = [left.slice(head, left.length - tail), right.slice(head, right.length - tail)] as const;
  if (inner[0].length > MOST_WORDS || inner[1].length > MOST_WORDS) return undefined;
  const kept = keptWords(...inner);
  if (shorter === 0 || (head + tail + kept.count) / shorter < ENOUGH_SHARED) return undefined;
  const isKept = (side: Uint8Array, k: number, length: number): boolean =>
    k < head || k >= length - tail || side[k - head] === 1;
  return {
    before: runs(a, (k) => (isKept(kept.left, k, a.length) ? "same" : "removed")),
    after: runs(b, (k) => (isKept(kept.right, k, b.length) ? "same" : "added")),
  };
}

/** Returns the lines that a text lost and gained, in order. Returns `undefined` if the text is too long. */
export const diffLines = (before: string, after: string): DiffRun[] | undefined =>
  weave(before.split("\n"), after.split("\n"), (line) => line)
    ?.filter(({ kind }) => kind !== "same")
    .map(({ kind, item }) => ({ kind, text: item }));

/** Returns one text with the removed and added words. Returns `undefined` if the texts share too little. */
export function weaveWords(before: string, after: string): DiffRun[] | undefined {
  if (!diffWords(before, after)) return undefined;
  const joined: DiffRun[] = [];
  for (const { kind, item } of weave(pieces(before), pieces(after), ({ text }) => text) ?? []) {
    const last = joined.at(-1);
    if (last?.kind === kind) last.text += `${item.isGlued ? "" : " "}${item.text}`;
    else joined.push({ kind, text: item.text, ...(item.isGlued && { isGlued: true }) });
  }
  return joined;
}

/** Merges both lists in order, with removed items before added ones. Items match if their texts are equal. */
function weave<Item>(
  a: readonly Item[],
  b: readonly Item[],
  textOf: (item: Item) => string,
): { kind: DiffRun["kind"]; item: Item }[] | undefined {
  if (a.length > MOST_WORDS || b.length > MOST_WORDS) return undefined;
  const { left, right } = keptWords(a.map(textOf), b.map(textOf));
  const woven: { kind: DiffRun["kind"]; item: Item }[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && left[i] === 0) woven.push({ kind: "removed", item: a[i++] as Item });
    else if (j < b.length && right[j] === 0) woven.push({ kind: "added", item: b[j++] as Item });
    else {
      woven.push({ kind: "same", item: b[j++] as Item });
      i++;
    }
  }
  return woven;
}

/** Finds the longest common subsequence of two lists of words. */
function keptWords(a: readonly string[], b: readonly string[]) {
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j] as number;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const left = new Uint8Array(a.length);
  const right = new Uint8Array(b.length);
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      left[i++] = 1;
      right[j++] = 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return { left, right, count: at(0, 0) };
}

function runs(list: readonly string[], kindOf: (k: number) => DiffRun["kind"]): DiffRun[] {
  const out: { kind: DiffRun["kind"]; words: string[] }[] = [];
  for (const [k, word] of list.entries()) {
    const kind = kindOf(k);
    const last = out.at(-1);
    if (last?.kind === kind) last.words.push(word);
    else out.push({ kind, words: [word] });
  }
  return out.map((run) => ({ kind: run.kind, text: run.words.join(" ") }));
}
