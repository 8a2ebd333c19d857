import { runInTurns } from "../kernel/steps.ts";
import { linkThoughts, type ThoughtLinks } from "../operations/ledger/thought/thought-links.ts";
import type { Host } from "./host.ts";

type Entry = Awaited<ReturnType<Host["ledger"]["readEntries"]>>[number];

/** The part of a recorded thought that the commands show. */
export type ShownThought = Entry["data"] & Partial<ThoughtLinks>;

const pageSize = 1_000;

/** Every thought of a session in order of arrival, with its links. */
export async function readThoughts(
  host: Host,
  sessionId: string,
  stop: AbortSignal,
): Promise<ShownThought[]> {
  const entries: Entry[] = [];
  for (;;) {
    stop.throwIfAborted();
    const page = await host.ledger.readEntries(sessionId, entries.at(-1)?.position ?? 0, pageSize);
    for (const entry of page) entries.push(host.forReader(entry));
    if (page.length < pageSize) break;
    await new Promise(setImmediate);
  }
  return runInTurns(linkThoughts(entries), stop);
}
