/**
 * The numbers of nodes and edges in a view. Each version stores the counts at the time of its write. A new
 * branch reads its base's counts from the latest version, so creating a branch copies and counts nothing.
 */
export type Tally = { liveNodes: number; inheritedNodes: number; liveEdges: number };

/** The version of a key that is visible on the branch before the write. */
export type HeldVersion = {
  seq: number;
  /** True if the branch wrote the version itself, false if it inherited it. */
  own: boolean;
  deleted: boolean;
  replaces: number | undefined;
};

export type VersionFacts = {
  held: ReadonlyMap<string, HeldVersion>;
  tally: Tally;
  /** The seq at which a branch was last created from this one. 0 if there is none. */
  branchedAt: number;
  firstSeq: number;
};

export type Written = { key: string; kind: "node" | "edge"; deleted: boolean };

export type PlannedVersion<Item extends Written> = {
  item: Item;
  seq: number;
  /**
   * The seq of the version that this one replaces. Skips the branch's own versions that are visible on no
   * other branch.
   */
  replaces: number | undefined;
  tally: Tally;
  /** How this version changes the counts. */
  change: Tally;
  /** The seq of the later version in the same batch that replaces this one. */
  superseded?: number;
};

export type VersionPlan<Item extends Written> = {
  rows: PlannedVersion<Item>[];
  /**
   * The branch's own versions that are no longer current. If `hidden` is true, the version is no longer
   * visible on any branch.
   */
  superseded: { seq: number; by: number; hidden: boolean }[];
};

/** True if no branch was created from this one since the version was written, so no other branch shows it. */
export const isHidden = (seq: number, branchedAt: number): boolean => seq > branchedAt;

/** Plans the rows of a batch. Each new version becomes the current one for its key. */
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
    const hidden = earlier !== undefined || held === undefined || isHidden(held.seq, facts.branchedAt);
    const change = tallyChange(item, held);
    tally = addTally(tally, change);
    const replaces = held?.own && hidden ? held.replaces : held?.seq;
    const row: PlannedVersion<Item> = { item, seq, replaces, tally, change };
    if (earlier) earlier.superseded = seq;
    else if (held?.own) plan.superseded.push({ seq: held.seq, by: seq, hidden });
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
