import { nodeId } from "../../../domain/ledger/address.ts";
import { endsSession } from "../../../domain/ledger/thought.ts";
import { clip } from "../../../kernel/text.ts";
import type { ThoughtEventData } from "../../../ports/events.ts";
import type { AppendReceipt } from "../../../ports/ledger-store.ts";
import type { OperationContext } from "../../pipeline/context.ts";

/** More than any listener is shown, so that a secret at the end of what is shown is still recognised. */
const announcedChars = 2_000;

/** One event for the thought, one more where it opens a branch or ends the session. A replay is not news. */
export function announceThought(
  { emit }: OperationContext,
  { entry, thoughtCount, replayed }: AppendReceipt,
): void {
  if (replayed) return;
  const { sessionId, data } = entry;
  const { timestamp } = data;
  const shown: ThoughtEventData = {
    id: nodeId(sessionId, data),
    thoughtNumber: data.thoughtNumber,
    totalThoughts: data.totalThoughts,
    nextThoughtNeeded: data.nextThoughtNeeded,
    thought: clip(data.thought, announcedChars),
    ...(data.branchId !== undefined && { branchId: data.branchId }),
    ...(data.branchFromThought !== undefined && { branchFromThought: data.branchFromThought }),
    ...(data.revisesThought !== undefined && { revisesThought: data.revisesThought }),
  };
  emit({ type: data.isRevision ? "thought_revised" : "thought_added", timestamp, sessionId, data: shown });
  if (data.branchFromThought !== undefined)
    emit({ type: "branch_created", timestamp, sessionId, data: shown });
  if (endsSession(data)) {
    const { thoughtNumber } = data;
    emit({ type: "session_completed", timestamp, sessionId, data: { thoughtNumber, thoughtCount } });
  }
}
