import type { Session } from "../../domain/ledger/session.ts";
import { endsSession, nodeId } from "../../domain/ledger/thought.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import type { SessionColumns } from "../session/session-columns.ts";
import { type SessionShelf, thoughtsAfter } from "../session/session-shelf.ts";
import { toSkeleton } from "../session/story.ts";
import {
  type Mask,
  type ReadSigns,
  signOf,
  toWireCritique,
  toWireSession,
  toWireThought,
} from "../session/to-wire.ts";
import {
  type Critique,
  type ObservatoryBranch,
  type ObservatoryThought,
  type SnapshotPage,
  wire,
} from "../wire.ts";
import type { ServerMessage, SessionSnapshotPayload, ThoughtCritiquedPayload } from "../wire-live.ts";
import { type Packed, pack, type Viewer } from "./viewer.ts";

type SnapshotSource = {
  ledger: Pick<LedgerStore, "readStride">;
  mask: Mask;
  readSigns: ReadSigns;
};

/** A page ends early once it has at least this much text, in characters. A viewer's buffer is 4 MiB. */
const pageCharacters = 256 * 1024;

/**
 * Reads the page after position `after`. `total` is the session's length when the snapshot began. This length
 * determines whether texts are included.
 */
async function readSnapshotPage(
  { ledger, mask, readSigns }: SnapshotSource,
  session: Session,
  columns: SessionColumns,
  after: number,
  total: number,
): Promise<SessionSnapshotPayload> {
  const common = {
    session: { ...toWireSession(session, mask), ...signOf(session, await readSigns(), mask) },
  };
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
  // `fromEntries` defines own properties, so a branch called `__proto__` is safe.
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

export type WatchSource = SnapshotSource & {
  ledger: Pick<LedgerStore, "readStride" | "readLatest" | "readCritiqueChain">;
  shelf: SessionShelf;
  /** `undefined` if the session does not exist here or is not shown to viewers. */
  readSession(sessionId: string): Promise<Session | undefined>;
};

/** `cursor` is the last position sent to the viewer. A seat that is not live is still receiving its snapshot. */
type Seat = { cursor: number; isLive: boolean };

const readAtOnce = 64;
/**
 * How many pages are searched for the thought of a critique, which is usually only minutes old. A critique of an older
 * thought appears with the next snapshot.
 */
const maxPages = 16;

/** Finds the thoughts that critiques refer to by hash. */
async function findNewCritiques(
  ledger: Pick<LedgerStore, "readLatest">,
  sessionId: string,
  critiques: readonly (Critique & { thoughtHash: string })[],
  mask: Mask,
): Promise<ThoughtCritiquedPayload[]> {
  const wanted = new Map(critiques.map((critique) => [critique.thoughtHash, critique]));
  const found: ThoughtCritiquedPayload[] = [];
  let before: number | undefined;
  for (let page = 0; page < maxPages && wanted.size > 0; page += 1) {
    const entries = await ledger.readLatest(sessionId, before, readAtOnce);
    for (const { hash, position, data } of entries) {
      const critique = wanted.get(hash);
      if (!critique) continue;
      wanted.delete(hash);
      found.push({ id: nodeId(sessionId, data), position, critique: toWireCritique(critique, mask) });
    }
    before = entries[0]?.seq;
    if (entries.length < readAtOnce) break;
  }
  return found.sort((a, b) => a.position - b.position);
}

/** Opens a session for its viewers. Each viewer gets every thought once and in order, at its own pace. */
export async function openSessionWatch(source: WatchSource, sessionId: string) {
  const { ledger, mask } = source;
  const columns = await source.shelf.take(sessionId);
  const seats = new Map<Viewer, Seat>();
  let sent = columns.size;
  let critiques = (await ledger.readCritiqueChain(sessionId, { after: 0, limit: 0 })).length;
  let announcing: Promise<void> | undefined;
  let isMoreToTell = false;
  const about = { channel: "reasoning" as const, sessionId };

  async function* eventsAfter(position: number): AsyncGenerator<{ position: number; messages: Packed[] }> {
    for await (const entry of thoughtsAfter(ledger, sessionId, position)) {
      columns.add(entry);
      const thought = toWireThought(entry, columns, { mask });
      const messages = [pack(toThoughtEvent(sessionId, thought))];
      const data = { sessionId, finalThoughtCount: entry.position };
      if (endsSession(thought)) messages.push(pack({ ...about, event: "session:ended", data }));
      yield { position: entry.position, messages };
    }
  }

  async function tellNews(): Promise<void> {
    do {
      isMoreToTell = false;
      for await (const { position, messages } of eventsAfter(sent)) {
        sent = position;
        for (const [viewer, seat] of seats) {
          if (!seat.isLive || seat.cursor >= position) continue;
          for (const message of messages) viewer.send(message);
          seat.cursor = position;
        }
      }
    } while (isMoreToTell);
  }

  async function sendSnapshot(viewer: Viewer, seat: Seat): Promise<void> {
    const total = columns.size;
    if (seat.cursor > total) seat.cursor = 0;
    do {
      const session = await source.readSession(sessionId);
      if (!session) return viewer.send(pack(gone("unknown")));
      const data = await readSnapshotPage(source, session, columns, seat.cursor, total);
      if (seats.get(viewer) !== seat) return;
      await viewer.sendAndWait(pack({ ...about, event: "session:snapshot", data }));
      if (data.page.to < data.page.from) break;
      seat.cursor = data.page.to;
    } while (seat.cursor < total);
    // Sends what the other viewers received in the meantime. No other code runs between the last read and `isLive`.
    while (seat.cursor < sent) {
      for await (const { position, messages } of eventsAfter(seat.cursor)) {
        if (seats.get(viewer) !== seat) return;
        for (const message of messages) await viewer.sendAndWait(message);
        seat.cursor = position;
      }
    }
    seat.isLive = true;
  }

  const gone = (reason: "deleted" | "unknown"): ServerMessage => ({
    ...about,
    event: "session:gone",
    data: { sessionId, reason },
  });

  const broadcast = (message: ServerMessage) => {
    const packed = pack(message);
    for (const viewer of seats.keys()) viewer.send(packed);
  };

  return {
    get isEmpty(): boolean {
      return seats.size === 0;
    },
    isWatchedBy: (viewer: Viewer): boolean => seats.has(viewer),
    columns,
    /** Seats a viewer. If the viewer already has a seat, starts over. Viewers resync this way. */
    async join(viewer: Viewer, after = 0): Promise<void> {
      const seat = { cursor: after, isLive: false };
      seats.set(viewer, seat);
      try {
        await source.shelf.take(sessionId);
        await sendSnapshot(viewer, seat);
      } catch (thrown) {
        // A viewer that disconnects midway is not a failure.
        if (viewer.isOpen) throw thrown;
      }
    },
    leave: (viewer: Viewer): void => void seats.delete(viewer),
    /**
     * Sends new thoughts in the store to all viewers. If that is already in progress, returns the same
     * promise.
     */
    pump(): Promise<void> {
      isMoreToTell = true;
      announcing ??= tellNews().finally(() => (announcing = undefined));
      return announcing;
    },
    async tellCritiques(): Promise<void> {
      const { entries: fresh, length } = await ledger.readCritiqueChain(sessionId, { after: critiques });
      critiques = length;
      for (const data of await findNewCritiques(ledger, sessionId, fresh, mask)) {
        columns.markCritique(data.position);
        broadcast({ ...about, event: "thought:critiqued", data });
      }
    },
    broadcast,
    tellGone: (): void => broadcast(gone("deleted")),
  };
}

export type SessionWatch = Awaited<ReturnType<typeof openSessionWatch>>;

/** Returns the event for a thought, of the most specific kind that applies. */
export function toThoughtEvent(sessionId: string, thought: ObservatoryThought): ServerMessage {
  const { parentId, branchId, branchFromThought, revisesThought } = thought;
  const about = { channel: "reasoning" as const, sessionId };
  const data = { thought, parentId };
  if (branchId !== undefined && branchFromThought !== undefined) {
    const fork = { branchId, fromThoughtNumber: branchFromThought };
    return { ...about, event: "thought:branched", data: { ...data, ...fork } };
  }
  if (revisesThought !== undefined)
    return { ...about, event: "thought:revised", data: { ...data, originalThoughtNumber: revisesThought } };
  return { ...about, event: "thought:added", data };
}
