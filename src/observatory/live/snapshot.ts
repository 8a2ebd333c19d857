import type { Session } from "../../domain/ledger/session.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import type { SessionColumns } from "../session/session-columns.ts";
import { toSkeleton } from "../session/skeleton.ts";
import { thoughtsAfter } from "../session/thoughts-after.ts";
import { type Mask, toWireSession, toWireThought } from "../session/to-wire.ts";
import {
  type ObservatoryBranch,
  type ObservatoryThought,
  type SessionSnapshotPayload,
  type SnapshotPage,
  wire,
} from "../wire.ts";

export type SnapshotSource = {
  ledger: Pick<LedgerStore, "readStride">;
  mask: Mask;
};

/** A page ends early when it has this many characters of text: a viewer's buffer holds 4 MiB. */
const pageCharacters = 256 * 1024;

/** The page after position `after`; `total` is what the snapshot was begun with and decides its form. */
export async function readSnapshotPage(
  { ledger, mask }: SnapshotSource,
  session: Session,
  columns: SessionColumns,
  after: number,
  total: number,
): Promise<SessionSnapshotPayload> {
  const common = { session: toWireSession(session, mask) };
  if (total > wire.skeletonAbove) {
    const to = Math.min(after + wire.snapshotPage, columns.size);
    const skeleton = toSkeleton(columns, after + 1, to);
    return { ...common, thoughts: [], branches: {}, page: pageOf(after, to, total), skeleton };
  }
  const thoughts: ObservatoryThought[] = [];
  let characters = 0;
  for await (const entry of thoughtsAfter(ledger, session.id, after)) {
    columns.add(entry);
    const thought = toWireThought(entry, columns, { mask });
    thoughts.push(thought);
    characters += thought.thought.length;
    if (thoughts.length >= wire.snapshotPage || characters >= pageCharacters) break;
  }
  return {
    ...common,
    thoughts: thoughts.filter(({ branchId }) => branchId === undefined),
    branches: groupByBranch(thoughts, columns),
    page: pageOf(after, after + thoughts.length, total),
  };
}

const pageOf = (after: number, to: number, total: number): SnapshotPage => ({
  from: after + 1,
  to,
  total: Math.max(total, to),
  isLast: to >= total,
});

function groupByBranch(
  thoughts: readonly ObservatoryThought[],
  columns: SessionColumns,
): Record<string, ObservatoryBranch> {
  const branches = new Map<string, ObservatoryBranch>();
  for (const thought of thoughts) {
    if (thought.branchId === undefined) continue;
    const known = branches.get(thought.branchId) ?? beginBranch(thought.branchId, thought.position, columns);
    known.thoughts.push(thought);
    branches.set(thought.branchId, known);
  }
  // `fromEntries` defines members: a branch called `__proto__` is one like any other.
  return Object.fromEntries(branches);
}

function beginBranch(id: string, position: number, columns: SessionColumns): ObservatoryBranch {
  const fork = columns.at(columns.chain(columns.at(position)?.chain ?? 0).fork);
  const fromBranch = fork && columns.chain(fork.chain).id;
  return {
    id,
    fromThoughtNumber: fork?.thoughtNumber ?? 0,
    ...(fromBranch !== undefined && { fromBranch }),
    thoughts: [],
  };
}
