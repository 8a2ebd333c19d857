import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isCaptured } from "../domain/ledger/session.ts";
import type { CaptureBook, ForgetReport } from "../ports/capture.ts";
import type { LedgerStore } from "../ports/ledger-store.ts";
import type { LedgerUpkeep, Trash } from "../ports/upkeep.ts";

type Parts = {
  ledger: Pick<LedgerStore, "listSessions" | "listTrash" | "deleteSession">;
  trash: Pick<Trash, "eraseSessions">;
  upkeep: Pick<LedgerUpkeep, "scrub">;
  book: Pick<CaptureBook, "list">;
  dataDir: string;
  clock: () => Date;
};

const pageSize = 200;
const mostFiles = 50_000;

/**
 * Erases captured sessions from the database, its index, the JSON files, the trash and the exports directory.
 * Reports copies of the store next to it, because only their owner can decide what to do with them.
 */
export function createForgetting({ ledger, trash, upkeep, book, dataDir, clock }: Parts) {
  return async (project: string): Promise<ForgetReport> => {
    const live = await idsOf((offset) =>
      ledger.listSessions({
        project,
        tagMode: "all",
        limit: pageSize,
        offset,
        sortBy: "createdAt",
        sortOrder: "asc",
      }),
    );
    for (const id of live) await ledger.deleteSession(id, clock().toISOString());
    const ids = await idsOf((offset) => ledger.listTrash({ project, limit: pageSize, offset }));
    const erased = await trash.eraseSessions(ids);
    for (const { id } of erased) removeExports(join(dataDir, "exports"), id);
    await upkeep.scrub?.();
    const { files } = await book.list(mostFiles);
    const places = files.flatMap((file) =>
      file.project === project && file.cwd !== undefined ? [file.cwd] : [],
    );
    return {
      project,
      sessions: erased.length,
      excluded: [...new Set(places)].sort(),
      copies: findCopies(dataDir),
    };
  };
}

async function idsOf(page: (offset: number) => Promise<{ sessions: { id: string }[] }>): Promise<string[]> {
  const ids: string[] = [];
  for (let offset = 0; ; offset += pageSize) {
    const { sessions } = await page(offset);
    ids.push(...sessions.map(({ id }) => id).filter(isCaptured));
    if (sessions.length < pageSize) return ids;
  }
}

/** Removes a session's exports from this directory and its subdirectories. Their names start with its ID. */
function removeExports(directory: string, sessionId: string): void {
  for (const name of namesBelow(directory))
    if (name.split(/[\\/]/).at(-1)?.startsWith(sessionId)) rmSync(join(directory, name), { force: true });
}

const findCopies = (dataDir: string): string[] =>
  namesBelow(dataDir)
    .filter((name) => /\.(?:db|sqlite|bak)(?:-before-[^/\\]*)?$/.test(name) && name !== "thoughtbox.db")
    .map((name) => join(dataDir, name));

function namesBelow(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, encoding: "utf8" });
  } catch {
    return [];
  }
}
