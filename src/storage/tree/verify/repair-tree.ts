import { dirname, join } from "node:path";
import { makeDirectorySync } from "../../../disk/make-directory.ts";
import { renameSafelySync } from "../../../disk/naming.ts";
import { manifestName } from "../../../domain/ledger/tree/layout.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { LedgerSource } from "../../../ports/projection-book.ts";
import type { RepairReport } from "../../../ports/tree.ts";
import { statOf } from "../read-file.ts";
import { explain, type TreeFiles } from "../tree-files.ts";
import type { SessionWriter } from "../write/session-writer.ts";
import type { createComparer } from "./compare-session.ts";

export type Quarantine = ReturnType<typeof createQuarantine>;

/**
 * Moves files that are wrong or in the way into the quarantine, where they keep their path. Each repair has its own
 * folder.
 */
export function createQuarantine(root: string, clock: Clock) {
  const stamp = clock().toISOString().replace(/[:.]/g, "-");
  const moved: { path: string; movedTo: string }[] = [];

  return {
    moved,
    /** Moves a file. `path` is relative to the data directory. Does nothing if the file no longer exists. */
    take(path: string): void {
      if (!statOf(join(root, path))) return;
      const movedTo = freeName(join("quarantine", stamp, path));
      makeDirectorySync(join(root, dirname(movedTo)));
      renameSafelySync(join(root, path), join(root, movedTo));
      moved.push({ path, movedTo });
    },
    /** Moves away the first segment of the folder's path that exists but is not a folder. */
    clearWay(folder: readonly string[]): void {
      for (let depth = 1; depth <= folder.length; depth += 1) {
        const path = join(...folder.slice(0, depth));
        const stat = statOf(join(root, path));
        if (stat?.isDirectory()) continue;
        if (stat) this.take(path);
        return;
      }
    },
  };

  function freeName(path: string): string {
    let free = path;
    for (let n = 2; statOf(join(root, free)); n += 1) free = `${path}-${n}`;
    return free;
  }
}

const pageSize = 200;

type RepairOne = (sessionId: string, quarantine: Quarantine, signal?: AbortSignal) => Promise<boolean>;

/**
 * Repairs some sessions, or all sessions in the store. An error in one session does not stop the repair of the
 * others.
 */
export async function repairSessions(
  source: LedgerSource,
  repairOne: RepairOne,
  quarantine: Quarantine,
  sessions: string | readonly string[] | undefined,
  signal: AbortSignal | undefined,
): Promise<RepairReport> {
  const report: RepairReport = { checked: 0, repaired: [], quarantined: quarantine.moved, failed: [] };
  const chosen = typeof sessions === "string" ? [sessions] : sessions;
  for await (const id of chosen ?? allSessions(source)) {
    signal?.throwIfAborted();
    report.checked += 1;
    try {
      if (await repairOne(id, quarantine, signal)) report.repaired.push(id);
      await source.projection.settleDeferred(id);
    } catch (thrown) {
      signal?.throwIfAborted();
      report.failed.push({ sessionId: id, reason: explain(thrown) });
    }
  }
  return report;
}

/** Yields all session IDs, oldest first, so that sessions created in the meantime come last and pages do not shift. */
async function* allSessions(source: LedgerSource): AsyncGenerator<string> {
  for (let offset = 0; ; offset += pageSize) {
    const { sessions } = await source.ledger.listSessions({
      tagMode: "all",
      limit: pageSize,
      offset,
      sortBy: "createdAt",
      sortOrder: "asc",
    });
    for (const { id } of sessions) yield id;
    if (sessions.length < pageSize) return;
  }
}

type Compare = ReturnType<typeof createComparer>;

/**
 * Makes a session's folder match the store. Returns true if anything changed. If there is a quarantine, first
 * moves wrong and unexpected files there. If there is no quarantine, moves only files in the way, keeps
 * unexpected ones, and throws if a folder is in the way.
 */
export function createSessionRepair(compare: Compare, writer: SessionWriter, files: TreeFiles) {
  return async (sessionId: string, quarantine?: Quarantine, signal?: AbortSignal): Promise<boolean> => {
    const folder = await writer.folders.find(sessionId);
    if (!folder) return false;
    let differences = 0;
    const setAside = (path: string): void => {
      if (!quarantine) return;
      quarantine.take(join(...folder, path));
      files.forgetFolders();
    };
    if (quarantine) {
      quarantine.clearWay(folder);
      files.forgetFolders();
    }
    const comparison = await compare(
      sessionId,
      (difference) => {
        differences += 1;
        if (difference.kind !== "missing") setAside(difference.path);
        if ("content" in difference) writer.writeAgain(folder, difference.path, difference.content);
      },
      signal,
    );
    if (!comparison) return false;
    const { manifest } = comparison;
    if (manifest === "damaged") setAside(manifestName);
    if (manifest !== "good" || differences > 0) await writer.writeManifest(sessionId);
    return manifest !== "good" || differences > 0;
  };
}
