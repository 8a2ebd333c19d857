import type { RecallSession } from "../../../bench/recall/recall-set.ts";
import { toExport } from "../../../bench/recall/to-export.ts";
import { readSessionExport, toSessionParts } from "../../../src/domain/ledger/import-export.ts";
import { runAtOnce } from "../../../src/kernel/steps.ts";
import type { Store } from "../../../src/ports/store.ts";

/** Imports generated sessions like `session.import`. */
export async function bringIn(
  store: Store,
  sessions: Iterable<RecallSession>,
  project = "_default",
): Promise<void> {
  const parts = [...sessions].flatMap((session) => {
    const read = runAtOnce(readSessionExport(JSON.stringify(toExport(session, project))));
    if (typeof read === "string") throw new Error(read);
    return runAtOnce(toSessionParts(read));
  });
  for (const { refused } of await store.imports.importParts(parts))
    if (refused) throw new Error(JSON.stringify(refused));
}
