import { widen } from "./layout/widen.ts";

/**
 * How a thought's cipher relates it to an earlier one. The first thought that a thought revises is in a
 * separate column.
 */
export const RELATIONS = ["supports", "contradicts", "rejects", "rests_on", "revises"] as const;
export type Relation = (typeof RELATIONS)[number];
export type Link = { relation: Relation; thought: number };

export type Links = {
  add(from: number, relation: Relation, to: number): void;
  /** Returns the links from thought `i` to others, in order of arrival. */
  from(i: number): Link[];
  /** Returns the links from other thoughts to `i`, in order of arrival. */
  to(i: number): Link[];
};

/** Creates two linked lists in typed arrays, so that 50,000 thoughts do not need an object per link. */
export function createLinks(): Links {
  let size = 0;
  let source = new Int32Array(256);
  let target = new Int32Array(256);
  let relations = new Uint8Array(256);
  let nextOfSource = new Int32Array(256);
  let nextOfTarget = new Int32Array(256);
  const lastOfSource = new Map<number, number>();
  const lastOfTarget = new Map<number, number>();

  function add(from: number, relation: Relation, to: number): void {
    if (size === source.length) {
      source = widen(source);
      target = widen(target);
      relations = widen(relations);
      nextOfSource = widen(nextOfSource);
      nextOfTarget = widen(nextOfTarget);
    }
    source[size] = from;
    target[size] = to;
    relations[size] = RELATIONS.indexOf(relation);
    nextOfSource[size] = lastOfSource.get(from) ?? -1;
    nextOfTarget[size] = lastOfTarget.get(to) ?? -1;
    lastOfSource.set(from, size);
    lastOfTarget.set(to, size);
    size++;
  }

  function follow(last: number | undefined, next: Int32Array, thoughts: Int32Array): Link[] {
    const found: Link[] = [];
    for (let k = last ?? -1; k >= 0; k = next[k] ?? -1)
      found.push({ relation: RELATIONS[relations[k] ?? 0] ?? "supports", thought: thoughts[k] ?? -1 });
    return found.reverse();
  }

  return {
    add,
    from: (i) => follow(lastOfSource.get(i), nextOfSource, target),
    to: (i) => follow(lastOfTarget.get(i), nextOfTarget, source),
  };
}
