import { sessionList } from "../operations/ledger/session/list-sessions.ts";
import { sessionVerify } from "../operations/ledger/session/session-verify.ts";
import { ask } from "./ask.ts";
import type { Host } from "./host.ts";

export type Verdict = {
  sessionId: string;
  title: string;
  valid: boolean;
  errors: string[];
  /** How many thoughts had their hashes verified. */
  verified: number;
};

type Named = { id: string; title: string };

const pageSize = 100;

type Watch = { signal: AbortSignal; progress(done: number, total: number): void };

/** Verifies the chain and the files of every session. Continues after a session with problems. */
export async function verifyAll(host: Host, { signal, progress }: Watch): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (let offset = 0; ; offset += pageSize) {
    const { sessions, total } = await ask(host, sessionList, {
      project: "*",
      sortBy: "createdAt",
      sortOrder: "asc",
      limit: pageSize,
      offset,
    });
    for (const session of sessions) {
      signal.throwIfAborted();
      verdicts.push(await verifyOne(host, session, signal));
      progress(verdicts.length, total);
    }
    if (sessions.length < pageSize) return verdicts;
  }
}

export async function verifyOne(host: Host, { id, title }: Named, signal: AbortSignal): Promise<Verdict> {
  const { valid, errors, chain } = await ask(host, sessionVerify, { sessionId: id }, { signal });
  return { sessionId: id, title, valid, errors, verified: chain.verified };
}

/** `notebooks` includes those in the trash. */
export type NotebookVerdict = { notebooks: number; errors: string[] };

export async function verifyNotebooks({ inspectNotebooks, notebookFiles }: Host): Promise<NotebookVerdict> {
  const { notebooks, inTrash, problems } = await inspectNotebooks();
  const differences = problems.length === 0 ? await notebookFiles?.findDifferences() : undefined;
  return { notebooks: notebooks + inTrash, errors: [...problems, ...(differences ?? [])] };
}
