import type { FeedEntry } from "../../../ports/feed.ts";
import { findOwnSession } from "../../pipeline/caller-state.ts";
import type { MemoryContext } from "../../pipeline/context.ts";

/** A position in the order of all writes. Newer means a higher seq or, without one, not older than `ts_ms`. */
export type Since = { seq: number; ts_ms: number };

const digits = /^\d{1,15}$/;

/** The only parser for `since`: a seq, an ISO time, or "me" for the caller's own last write. */
export async function resolveSince(memory: MemoryContext<"INVALID_PAYLOAD">, since: string): Promise<Since> {
  const time = Date.parse(since);
  if (since !== "me" && !digits.test(since)) {
    if (Number.isNaN(time)) return refuse(memory);
    return { seq: await seqBefore(memory, time), ts_ms: time };
  }
  const seq = since === "me" ? await ownLast(memory) : Number(since);
  const [entry] = seq > 0 ? await memory.feed.readFeed(seq - 1, 1) : [];
  return { seq, ts_ms: entry ? timeOf(entry) : 0 };
}

const refuse = ({ fail, workspace }: MemoryContext<"INVALID_PAYLOAD">): never =>
  fail("INVALID_PAYLOAD", 'since is neither a seq, nor an ISO time, nor "me".', {
    details: { hints: [{ kind: "type", field: "since", expected: 'a seq, an ISO time or "me"' }] },
    recovery: {
      hint: "Start at your own last write.",
      operation: "changes",
      args: { workspace, since: "me" },
    },
  });

/** The newest write of this agent, conversation or connection here, or the newest thought of its session. */
async function ownLast(memory: MemoryContext): Promise<number> {
  const { ledger, caller, workspace, agent } = memory;
  const written = agent.keys.length === 0 ? 0 : await memory.memory.newestSeqBy(workspace, agent);
  const sessionId = await findOwnSession(memory, caller);
  const [thought] = sessionId === undefined ? [] : await ledger.readLatest(sessionId, undefined, 1);
  return Math.max(written, thought?.seq ?? 0);
}

export const timeOf = (entry: FeedEntry): number =>
  Date.parse(entry.kind === "thought" ? entry.entry.data.timestamp : entry.at);

/** Numbers grow with time, so a binary search finds the last one before a moment. */
async function seqBefore({ feed }: Pick<MemoryContext, "feed">, time: number): Promise<number> {
  let [low, high] = [0, await feed.lastSeq()];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [next] = await feed.readFeed(middle, 1);
    if (next && timeOf(next) < time) low = next.seq;
    else high = middle;
  }
  return low;
}
