import { describeStructure } from "../../../domain/ledger/chain/structure.ts";
import { endsSession } from "../../../domain/ledger/thought.ts";
import type { AppendReceipt } from "../../../ports/ledger-store.ts";
import { type Caller, isRemembered } from "../../pipeline/caller.ts";
import type { BaseContext } from "../../pipeline/context.ts";
import { suggestFields } from "./suggest-fields.ts";

type AnswerOptions = {
  includeGuide?: boolean | undefined;
  verbose?: boolean | undefined;
  /** Where the export of the session was written, if this thought ended it. */
  exportPath: string | undefined;
};

/** As little as the caller must know; more only where it was asked for. */
export async function describeThought(
  context: BaseContext,
  receipt: AppendReceipt,
  { includeGuide, verbose, exportPath }: AnswerOptions,
) {
  const { sessionId, data } = receipt.entry;
  const suggestion = await suggestFields(context, receipt.entry);
  return {
    thoughtNumber: data.thoughtNumber,
    sessionId,
    ...(data.branchId !== undefined && { branchId: data.branchId }),
    ...(receipt.opened && {
      sessionOpened: true as const,
      next: nextCall(context.caller, sessionId),
    }),
    ...(endsSession(data) && { sessionClosed: true as const }),
    ...(exportPath !== undefined && { exportPath }),
    ...(suggestion && { suggestion }),
    ...(includeGuide && { guide: await context.content.read("guides/patterns-cookbook.md") }),
    ...(verbose && (await describeChain(context, receipt))),
  };
}

/** A caller that nothing remembers has to, so it is told twice. */
const nextCall = (caller: Caller, sessionId: string): string =>
  isRemembered(caller)
    ? "Later calls continue here, with or without sessionId."
    : `Pass sessionId ${sessionId}.`;

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
