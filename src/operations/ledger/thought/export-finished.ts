import { endsSession } from "../../../domain/ledger/thought.ts";
import { toThoughtboxError } from "../../../kernel/errors.ts";
import type { AppendReceipt } from "../../../ports/ledger-store.ts";
import type { BaseContext } from "../../pipeline/context.ts";
import { putIntoWords } from "../../pipeline/recoveries.ts";
import { findExport, writeExport } from "../session/write-export.ts";

/**
 * Writes the export of a session that a thought has ended, and returns its path. A replay writes nothing: it names the
 * file that the first call left, where it is still there.
 */
export async function exportFinished(
  context: BaseContext<"SESSION_NOT_FOUND">,
  { entry: { sessionId, data }, replayed }: AppendReceipt,
): Promise<string | undefined> {
  if (!context.settings.autoExport || !endsSession(data)) return undefined;
  if (replayed) return findExport(context, sessionId);
  try {
    return await writeExport(context, sessionId);
  } catch (thrown) {
    // The file is a convenience: the thought is safe already.
    const { message: reason } = putIntoWords(toThoughtboxError(thrown));
    context.warn({
      code: "EXPORT_FAILED",
      message: `The thought is recorded; the export was not written: ${reason}`,
    });
    return undefined;
  }
}
