/**
 * What `branch` wrote after seq `after`, up to and including `upTo`. A branch is created at a seq
 * (`base_seq`), and everything that it writes has a later seq. The segments of a lineage therefore never
 * overlap. The first segment is the branch's own, the next one is its base's up to `base_seq`, and so on.
 */
export type Segment = { branch: number; after: number; upTo: number };

/** From the branch itself to its oldest base, newest segment first. */
export type Lineage = readonly Segment[];

export type Link = { branch: number; base: number | undefined; baseSeq: number };

export const endOfTime = Number.MAX_SAFE_INTEGER;

/** Returns a branch's segments. `links`: the branch and its bases, oldest last. `head`: its own last seq. */
export function lineageOf(links: readonly Link[], head = endOfTime): Lineage {
  let upTo = head;
  return links.map(({ branch, base, baseSeq }) => {
    const segment = { branch, after: base === undefined ? 0 : baseSeq, upTo };
    upTo = Math.min(upTo, segment.after);
    return segment;
  });
}

/** Returns the last visible seq of each branch in the lineage. */
export function cutoffs(lineage: Lineage): ReadonlyMap<number, number> {
  return new Map(lineage.map(({ branch, upTo }) => [branch, upTo]));
}

export function sees(view: ReadonlyMap<number, number>, branch: number, seq: number): boolean {
  return seq <= (view.get(branch) ?? 0);
}

/** Returns the segments that are in `lineage` but not in `other`, newest first. */
export function beyond(lineage: Lineage, other: Lineage): Lineage {
  const seen = cutoffs(other);
  return lineage
    .map((segment) => ({ ...segment, after: Math.max(segment.after, seen.get(segment.branch) ?? 0) }))
    .filter(({ after, upTo }) => after < upTo);
}
