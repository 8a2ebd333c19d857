import { widen } from "./layout/widen.ts";
import { createLinks, type Link, type Links } from "./links.ts";

/** The index of the main line's chain. */
export const MAIN = 0;
/** Means "no thought" in columns that refer to another thought. */
export const NONE = -1;

/** Bits in the `marks` column. */
export const MARKS = {
  critique: 1,
  noNextThought: 2,
  severalSteps: 4,
  unseen: 8,
  damaged: 16,
  starred: 32,
  commented: 64,
  /** Prose by the user, not by the agent. */
  asked: 128,
} as const;

/** A line of thoughts: the main line, or a branch starting with its own first thought. */
export type Chain = {
  /** The branch ID. The main line's ID is empty, because no branch ID can be empty. */
  readonly id: string;
  /** The thought that the chain forks from, or `NONE` for the main line. */
  readonly fork: number;
  /** The chain that contains the fork, or `NONE` for the main line. */
  readonly parentChain: number;
  readonly thoughts: readonly number[];
};

/** One thought to append. The fields refer to other thoughts by index, in order of arrival from 0. */
export type Entry = {
  chain: number;
  number: number;
  /**
   * The previous thought in its line. For the first thought of a branch, the fork. For the session's first thought,
   * `NONE`.
   */
  parent: number;
  /** The code of the thought's cipher type. */
  type: number;
  revises: number;
  /** Milliseconds since 1970. */
  time: number;
  marks?: number;
  /** The number of cipher steps in the text. Default 1. */
  steps?: number;
  /** If `from` is set, the link starts at that earlier thought. */
  links?: readonly (Link & { from?: number })[];
  text?: string;
};

/**
 * A session as columns: thought `i` is row `i` of each. Rows are only appended, so anything computed from a prefix
 * stays valid. The arrays are replaced when they grow, so read them again after an append.
 */
export type Columns = {
  readonly size: number;
  readonly number: Int32Array;
  readonly chain: Int32Array;
  /** The thought's index in `chains[chain].thoughts`. */
  readonly place: Int32Array;
  readonly parent: Int32Array;
  readonly type: Uint8Array;
  readonly revises: Int32Array;
  /** The first thought that replaced this one, or `NONE`. */
  readonly revisedBy: Int32Array;
  /** The first thought that rejected this one, or `NONE`. */
  readonly rejectedBy: Int32Array;
  readonly time: Float64Array;
  readonly marks: Uint8Array;
  /** The number of cipher steps in the text, at most 255. */
  readonly steps: Uint8Array;
  /** The text loaded so far. */
  readonly text: readonly (string | undefined)[];
  readonly chains: readonly Chain[];
  readonly links: Links;
  /** Returns the chains that fork from a thought, in order of arrival. */
  forksOf(thought: number): readonly number[];
  chainOf(id: string): number | undefined;
  /** Finds a thought by its number in a chain. Returns `NONE` if there is none. */
  find(chain: number, number: number): number;
  openChain(id: string, fork: number): number;
  append(entry: Entry): number;
  setText(thought: number, text: string): void;
  setMark(thought: number, mark: number, on: boolean): void;
};

type GrowingChain = Chain & { readonly thoughts: number[] };

const nothing: readonly number[] = [];

export function createColumns(capacity = 256): Columns {
  let size = 0;
  let number = new Int32Array(capacity);
  let chain = new Int32Array(capacity);
  let place = new Int32Array(capacity);
  let parent = new Int32Array(capacity);
  let revises = new Int32Array(capacity);
  let revisedBy = new Int32Array(capacity).fill(NONE);
  let rejectedBy = new Int32Array(capacity).fill(NONE);
  let type = new Uint8Array(capacity);
  let marks = new Uint8Array(capacity);
  let steps = new Uint8Array(capacity);
  let time = new Float64Array(capacity);
  const text: (string | undefined)[] = [];
  const chains: GrowingChain[] = [{ id: "", fork: NONE, parentChain: NONE, thoughts: [] }];
  const chainsById = new Map<string, number>([["", MAIN]]);
  const forks = new Map<number, number[]>();
  const links = createLinks();

  function grow(): void {
    const from = number.length;
    number = widen(number);
    chain = widen(chain);
    place = widen(place);
    parent = widen(parent);
    revises = widen(revises);
    revisedBy = widen(revisedBy).fill(NONE, from);
    rejectedBy = widen(rejectedBy).fill(NONE, from);
    type = widen(type);
    marks = widen(marks);
    steps = widen(steps);
    time = widen(time);
  }

  function openChain(id: string, fork: number): number {
    const known = chainsById.get(id);
    if (known !== undefined) return known;
    const opened = chains.length;
    chains.push({ id, fork, parentChain: fork < 0 ? MAIN : (chain[fork] ?? MAIN), thoughts: [] });
    chainsById.set(id, opened);
    const leaving = forks.get(fork);
    if (leaving) leaving.push(opened);
    else forks.set(fork, [opened]);
    return opened;
  }

  function append(entry: Entry): number {
    const line = chains[entry.chain];
    if (!line) throw new RangeError(`chain ${entry.chain} was not opened`);
    if (size === number.length) grow();
    const i = size++;
    number[i] = entry.number;
    chain[i] = entry.chain;
    place[i] = line.thoughts.length;
    parent[i] = entry.parent < i ? entry.parent : NONE;
    type[i] = entry.type;
    time[i] = entry.time;
    marks[i] = entry.marks ?? 0;
    steps[i] = Math.min(255, entry.steps ?? 1);
    text.push(entry.text);
    line.thoughts.push(i);
    const replaced = entry.revises < i ? entry.revises : NONE;
    revises[i] = replaced;
    if (replaced >= 0 && revisedBy[replaced] === NONE) revisedBy[replaced] = i;
    for (const { relation, thought, from = i } of entry.links ?? []) {
      if (thought < 0 || thought >= i || from < 0 || from > i) continue;
      links.add(from, relation, thought);
      if (relation === "revises" && revisedBy[thought] === NONE) revisedBy[thought] = from;
      if (relation === "rejects" && rejectedBy[thought] === NONE) rejectedBy[thought] = i;
    }
    return i;
  }

  return {
    get size() {
      return size;
    },
    get number() {
      return number;
    },
    get chain() {
      return chain;
    },
    get place() {
      return place;
    },
    get parent() {
      return parent;
    },
    get type() {
      return type;
    },
    get revises() {
      return revises;
    },
    get revisedBy() {
      return revisedBy;
    },
    get rejectedBy() {
      return rejectedBy;
    },
    get time() {
      return time;
    },
    get marks() {
      return marks;
    },
    get steps() {
      return steps;
    },
    text,
    chains,
    links,
    forksOf: (thought) => forks.get(thought) ?? nothing,
    chainOf: (id) => chainsById.get(id),
    find: (line, wanted) => chains[line]?.thoughts.findLast((i) => number[i] === wanted) ?? NONE,
    openChain,
    append,
    setText(thought, words) {
      if (thought >= 0 && thought < size) text[thought] = words;
    },
    setMark(thought, mark, on) {
      if (thought < 0 || thought >= size) return;
      marks[thought] = on ? (marks[thought] ?? 0) | mark : (marks[thought] ?? 0) & ~mark;
    },
  };
}
