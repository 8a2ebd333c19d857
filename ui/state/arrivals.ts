import type { Skeleton } from "../../src/observatory/wire.ts";
import { type Columns, MAIN, MARKS, NONE } from "../model/columns.ts";
import { type Link, RELATIONS } from "../model/links.ts";
import { typeCode } from "../model/thought-types.ts";
import type { Thought } from "./thought.ts";

// The wire counts positions from 1 and uses 0 for none. Columns count from 0 and use NONE.
const indexOf = (position: number | undefined): number => (position ? position - 1 : NONE);

/** Appends one thought from the server and returns its index. */
export function appendThought(columns: Columns, thought: Thought): number {
  const { branchId } = thought;
  const parent = indexOf(thought.parent);
  return columns.append({
    chain: branchId === undefined ? MAIN : (columns.chainOf(branchId) ?? columns.openChain(branchId, parent)),
    number: thought.thoughtNumber,
    parent,
    type: typeCode(thought.type),
    revises: indexOf(thought.revises),
    time: Date.parse(thought.timestamp) || 0,
    marks:
      (thought.hasCritique ? MARKS.critique : 0) |
      (thought.nextThoughtNeeded ? 0 : MARKS.noNextThought) |
      (thought.type === "N" && thought.agentId === "user" ? MARKS.asked : 0) |
      ((thought.steps ?? 1) > 1 ? MARKS.severalSteps : 0),
    links: (thought.links ?? []).map(({ relation, to, from }) => ({
      relation,
      thought: to - 1,
      ...(from !== undefined && { from: from - 1 }),
    })),
    text: thought.thought,
  });
}

/** Appends a page of thoughts without text, skipping rows that exist already. */
export function appendSkeleton(columns: Columns, skeleton: Skeleton, from: number): void {
  const links = new Map<number, (Link & { from?: number })[]>();
  for (let at = 0; at + 2 < skeleton.links.length; at += 3) {
    const [source = 0, target = 0, relation = 0] = skeleton.links.slice(at, at + 3);
    const list = links.get(source) ?? [];
    list.push({ relation: RELATIONS[relation] ?? "supports", thought: target - 1 });
    links.set(source, list);
  }
  const relayed = skeleton.relayed ?? [];
  for (let at = 0; at + 3 < relayed.length; at += 4) {
    const [by = 0, source = 0, target = 0, relation = 0] = relayed.slice(at, at + 4);
    const list = links.get(by) ?? [];
    list.push({ relation: RELATIONS[relation] ?? "supports", thought: target - 1, from: source - 1 });
    links.set(by, list);
  }
  const opening = [...skeleton.branches];
  skeleton.thoughtNumber.forEach((number, at) => {
    const position = from + at;
    if (position !== columns.size + 1) return;
    const chain = skeleton.chain[at] ?? MAIN;
    while (chain >= columns.chains.length && opening.length > 0) {
      const { id, fork } = opening.shift() as { id: string; fork: number };
      if (columns.chainOf(id) === undefined) columns.openChain(id, indexOf(fork));
    }
    columns.append({
      chain,
      number,
      parent: indexOf(skeleton.parent[at]),
      type: typeCode(skeleton.type[at] ?? ""),
      revises: indexOf(skeleton.revises[at]),
      time: skeleton.time[at] ?? 0,
      marks: skeleton.marks[at] ?? 0,
      links: links.get(position) ?? [],
    });
  });
}
