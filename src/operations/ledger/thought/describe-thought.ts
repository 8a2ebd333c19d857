import { describeStructure } from "../../../domain/ledger/chain/structure.ts";
import { endsSession } from "../../../domain/ledger/thought.ts";
import { toThoughtboxError } from "../../../kernel/errors.ts";
import type { AppendReceipt } from "../../../ports/ledger-store.ts";
import type { BaseContext } from "../../pipeline/context.ts";
import { putIntoWords } from "../../pipeline/recoveries.ts";
import { writeExport } from "../session/write-export.ts";
import { suggestFields } from "./suggest-fields.ts";

type AnswerOptions = { includeGuide?: boolean | undefined; verbose?: boolean | undefined };

/** As little as the caller must know; more only where it was asked for. */
export async function describeThought(
  context: BaseContext<"SESSION_NOT_FOUND">,
  receipt: AppendReceipt,
  { includeGuide, verbose }: AnswerOptions,
) {
  const { sessionId, data } = receipt.entry;
  const closed = endsSession(data);
  const exportPath = closed ? await autoExport(context, sessionId) : undefined;
  const suggestion = await suggestFields(context, receipt.entry);
  return {
    thoughtNumber: data.thoughtNumber,
    sessionId,
    ...(data.branchId !== undefined && { branchId: data.branchId }),
    ...(receipt.opened && {
      sessionOpened: true as const,
      next: "Pass this sessionId in every later call of this work.",
    }),
    ...(closed && { sessionClosed: true as const }),
    ...(exportPath !== undefined && { exportPath }),
    ...(suggestion && { suggestion }),
    ...(includeGuide && { guide: await context.content.read("guides/patterns-cookbook.md") }),
    ...(verbose && (await describeChain(context, receipt))),
  };
}

/** The file is a convenience: the thought is safe already, so trouble here is told and nothing more. */
async function autoExport(
  context: BaseContext<"SESSION_NOT_FOUND">,
  sessionId: string,
): Promise<string | undefined> {
  if (!context.settings.autoExport) return undefined;
  try {
    return await writeExport(context, sessionId);
  } catch (thrown) {
    const { message: reason } = putIntoWords(toThoughtboxError(thrown));
    context.warn({
      code: "EXPORT_FAILED",
      message: `The thought is recorded; the export was not written: ${reason}`,
    });
    return undefined;
  }
}

async function describeChain({ ledger }: BaseContext, { entry, thoughtCount }: AppendReceipt) {
  const index = await ledger.loadIndex(entry.sessionId);
  return {
    totalThoughts: entry.data.totalThoughts,
    nextThoughtNeeded: entry.data.nextThoughtNeeded,
    thoughtHistoryLength: thoughtCount,
    branches: index
      .branches()
      .slice(-200)
      .map(({ branchId }) => branchId),
    structure: describeStructure(index, 50),
  };
}
