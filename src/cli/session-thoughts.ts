import type { Host } from "./host.ts";

/** The part of a recorded thought that the commands show. */
export type ShownThought = Awaited<ReturnType<Host["ledger"]["readEntries"]>>[number]["data"];

const pageSize = 1_000;

/** Every thought of a session in order of arrival. */
export async function readThoughts(host: Host, sessionId: string): Promise<ShownThought[]> {
  const thoughts: ShownThought[] = [];
  let after = 0;
  for (;;) {
    const page = await host.ledger.readEntries(sessionId, after, pageSize);
    for (const { data } of page) thoughts.push(data);
    after = page.at(-1)?.position ?? after;
    if (page.length < pageSize) return thoughts;
  }
}
