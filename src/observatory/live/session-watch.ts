import type { Session } from "../../domain/ledger/session.ts";
import { endsSession } from "../../domain/ledger/thought.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import type { SessionShelf } from "../session/session-shelf.ts";
import { thoughtsAfter } from "../session/thoughts-after.ts";
import { toWireThought } from "../session/to-wire.ts";
import type { ServerMessage } from "../wire.ts";
import { findNewCritiques } from "./new-critiques.ts";
import { readSnapshotPage, type SnapshotSource } from "./snapshot.ts";
import { toThoughtEvent } from "./thought-event.ts";
import { type Packed, pack, type Viewer } from "./viewer.ts";

export type WatchSource = SnapshotSource & {
  ledger: Pick<LedgerStore, "readStride" | "readLatest" | "readCritiqueChain">;
  shelf: SessionShelf;
  /** `undefined` for a session that is not here, or not for those who look. */
  readSession(sessionId: string): Promise<Session | undefined>;
};

/** `cursor` is the last position the viewer was sent; a seat that is not live is still getting its snapshot. */
type Seat = { cursor: number; isLive: boolean };

/** One session and everybody who looks at it. Each viewer gets every thought once and in order, at its own pace. */
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
    // What was told to the others in the meantime; between the last look and `isLive` nothing can happen.
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
    columns,
    /** Begins again for a viewer that has a seat already: that is how it resyncs. */
    async join(viewer: Viewer, after = 0): Promise<void> {
      const seat = { cursor: after, isLive: false };
      seats.set(viewer, seat);
      try {
        await source.shelf.take(sessionId);
        await sendSnapshot(viewer, seat);
      } catch (thrown) {
        // Somebody who left in the middle is no failure.
        if (viewer.isOpen) throw thrown;
      }
    },
    leave: (viewer: Viewer): void => void seats.delete(viewer),
    /** Tells everybody what is new in the store. Calls under way are joined. */
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
