import { type Stage, stageName, stages } from "../../domain/stages/stages.ts";
import { type Recovery, ThoughtboxError } from "../../kernel/errors.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import type { Handle, Operation } from "./define.ts";

export const stageNumber = ({ stage }: Operation): Stage => stages[stage];

/** Refuses a call that comes too early, and says which call comes first. */
export async function requireStage(
  operation: Operation,
  handle: Handle,
  named: string | undefined,
  ledger: LedgerStore,
): Promise<void> {
  const requiredStage = stages[operation.stage];
  if (handle.stage >= requiredStage) return;
  const recent = handle.stage === stages.entry ? await recentSessions(ledger, handle.project) : undefined;
  throw new ThoughtboxError(
    "STAGE_REQUIREMENT_NOT_MET",
    `${operation.name} opens at stage ${requiredStage} (${operation.stage}); this handle is at stage ${handle.stage} (${stageName(handle.stage)}).`,
    {
      details: { currentStage: handle.stage, requiredStage, ...(recent && { recentSessions: recent }) },
      recovery: nextOnPath(handle, named ?? handle.sessionId),
    },
  );
}

function nextOnPath(handle: Handle, named: string | undefined): Recovery {
  if (handle.stage >= stages.init_complete) {
    const args = handle.sessionId === undefined ? {} : { sessionId: handle.sessionId };
    return { hint: "Read the cipher first; it opens thought and the rest.", operation: "cipher", args };
  }
  if (named !== undefined) {
    return {
      hint: "Load the session first, then call cipher.",
      operation: "load_context",
      args: { sessionId: named },
    };
  }
  return {
    hint: "Start a session first, or load one of details.recentSessions by load_context; then pass its sessionId.",
    operation: "start_new",
    args: {},
  };
}

export async function recentSessions(ledger: LedgerStore, project: string) {
  const { sessions } = await ledger.listSessions({
    project,
    tagMode: "all",
    limit: 5,
    offset: 0,
    sortBy: "updatedAt",
    sortOrder: "desc",
  });
  return sessions.map(({ id, title, updatedAt, thoughtCount }) => ({
    sessionId: id,
    title,
    updatedAt,
    thoughtCount,
  }));
}

/** One short line for the answers of the first stages: what is open now, and what opens next. */
export function describeNext(catalogue: readonly Operation[], stage: Stage): string {
  const opensAt = (wanted: Stage) => {
    const names = catalogue
      .filter(({ family, stage: opens }) => family === "ledger" && stages[opens] === wanted)
      .map(({ name }) => name.split(".")[0]);
    return [...new Set(names)].join(", ");
  };
  switch (stage) {
    case stages.entry:
      return "start_new or load_context opens a session.";
    case stages.init_complete:
      return `Open now: ${opensAt(1)}. Next: cipher, which opens ${opensAt(2)}.`;
    case stages.cipher_loaded:
    case stages.domain_active:
      return `Open now: ${opensAt(2)}.`;
  }
}
