/**
 * The counts of a view. Each version stores them as of when it was written, so a branch finds its base's counts at
 * its creation, and creating a branch copies and counts nothing.
 */
export type Tally = { liveNodes: number; inheritedNodes: number; liveEdges: number };

/** What the branch shows for a key before the write. */
export type HeldVersion = {
  seq: number;
  /** Whether the branch wrote it itself or inherited it. */
  own: boolean;
  deleted: boolean;
  replaces: number | undefined;
};

export type VersionFacts = {
  held: ReadonlyMap<string, HeldVersion>;
  tally: Tally;
  /** The number at which a branch was last created from this one. 0 if there is none. */
  branchedAt: number;
  firstSeq: number;
};

export type Written = { key: string; kind: "node" | "edge"; deleted: boolean };

export type PlannedVersion<Item extends Written> = {
  item: Item;
  seq: number;
  /** The visible version that the branch showed before. */
  replaces: number | undefined;
  tally: Tally;
  /** What it adds to the counts. */
  change: Tally;
  /** The later version in the same batch that replaced it. */
  superseded?: number;
};

export type VersionPlan<Item extends Written> = {
  rows: PlannedVersion<Item>[];
  /** Own versions that are no longer current. No branch shows those with `hidden`. */
  superseded: { seq: number; by: number; hidden: boolean }[];
};

/**
 * New versions in order, each the current one for its key on the branch. A version that a branch was created from stays
 * visible to that branch. Any other one becomes history as soon as it is replaced.
 */
export function planVersions<Item extends Written>(
  facts: VersionFacts,
  items: readonly Item[],
): VersionPlan<Item> {
  const plan: VersionPlan<Item> = { rows: [], superseded: [] };
  const latest = new Map<string, PlannedVersion<Item>>();
  let { tally } = facts;
  let seq = facts.firstSeq;
  for (const item of items) {
    const earlier = latest.get(item.key);
    const held = earlier ? heldAs(earlier) : facts.held.get(item.key);
    const isSeen = !earlier && held !== undefined && held.seq <= facts.branchedAt;
    const change = tallyChange(item, held);
    tally = addTally(tally, change);
    const replaces = held?.own && !isSeen ? held.replaces : held?.seq;
    const row: PlannedVersion<Item> = { item, seq, replaces, tally, change };
    if (earlier) earlier.superseded = seq;
    else if (held?.own) plan.superseded.push({ seq: held.seq, by: seq, hidden: !isSeen });
    latest.set(item.key, row);
    plan.rows.push(row);
    seq += 1;
  }
  return plan;
}

const heldAs = ({ seq, item, replaces }: PlannedVersion<Written>): HeldVersion => ({
  seq,
  own: true,
  deleted: item.deleted,
  replaces,
});

/** How replacing the current version changes the counts. */
function tallyChange(item: Written, held: HeldVersion | undefined): Tally {
  const lost = held && !held.deleted ? 1 : 0;
  const change = (item.deleted ? 0 : 1) - lost;
  if (item.kind === "edge") return { liveNodes: 0, inheritedNodes: 0, liveEdges: change };
  return { liveNodes: change, inheritedNodes: held?.own ? 0 : -lost, liveEdges: 0 };
}

const addTally = (one: Tally, other: Tally): Tally => ({
  liveNodes: one.liveNodes + other.liveNodes,
  inheritedNodes: one.inheritedNodes + other.inheritedNodes,
  liveEdges: one.liveEdges + other.liveEdges,
});

export const addTallies = (tallies: readonly Tally[]): Tally =>
  tallies.reduce(addTally, { liveNodes: 0, inheritedNodes: 0, liveEdges: 0 });
