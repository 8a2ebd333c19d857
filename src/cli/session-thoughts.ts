import { linkThoughts, type ThoughtLinks } from "../operations/ledger/thought/thought-links.ts";
import type { Host } from "./host.ts";

type Entry = Awaited<ReturnType<Host["ledger"]["readEntries"]>>[number];

/** The part of a recorded thought that the commands show. */
export type ShownThought = Entry["data"] & Partial<ThoughtLinks>;

const pageSize = 1_000;

/** Every thought of a session in order of arrival, with its links. */
export async function readThoughts(host: Host, sessionId: string): Promise<ShownThought[]> {
  const entries: Entry[] = [];
  for (;;) {
    const page = await host.ledger.readEntries(sessionId, entries.at(-1)?.position ?? 0, pageSize);
    for (const entry of page) entries.push(entry);
    if (page.length < pageSize) break;
  }
  const links = linkThoughts(entries);
  return entries.map(({ data }, index) => ({ ...data, ...links[index] }));
}
