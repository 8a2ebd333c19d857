import { sessionFolder } from "../../domain/ledger/tree/layout.ts";
import type { LedgerSource } from "./ledger-source.ts";

const remembered = 5_000;

export type SessionFolders = ReturnType<typeof createSessionFolders>;

/** Remembers where sessions lie; whoever hears that one was deleted, restored or moved lets it be forgotten. */
export function createSessionFolders(source: Pick<LedgerSource, "ledger">) {
  const folders = new Map<string, string[]>();
  return {
    /** `undefined` for a session that the store does not know, or not any more. */
    async find(sessionId: string): Promise<string[] | undefined> {
      const known = folders.get(sessionId);
      if (known) return known;
      const record = await source.ledger.readSession(sessionId);
      if (!record) return undefined;
      const folder = sessionFolder(record.session);
      if (folders.size >= remembered) folders.clear();
      folders.set(sessionId, folder);
      return folder;
    },
    forget: (sessionId: string): void => void folders.delete(sessionId),
    forgetAll: (): void => folders.clear(),
  };
}
