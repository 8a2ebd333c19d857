import { type Stage, stageName, stages } from "../../domain/stages/stages.ts";
import { type Recovery, ThoughtboxError } from "../../kernel/errors.ts";
import { type ResolvedScope, textOf } from "./caller-state.ts";
import type { CallerState, Services } from "./context.ts";
import { recentSessions } from "./find-session.ts";
import type { Args, Operation } from "./operation.ts";

export const stageNumber = ({ stage }: Operation): Stage => stages[stage];

/** The refusal names the call to make first. */
export async function requireStage(
  { ledger }: Services,
  operation: Operation,
  scope: ResolvedScope,
  args: Args,
): Promise<void> {
  const requiredStage = stages[operation.stage];
  if (scope.of !== "session" || scope.callerState.stage >= requiredStage) return;
  const { callerState } = scope;
  const recent =
    callerState.stage === stages.entry ? await recentSessions(ledger, callerState.project) : undefined;
  throw new ThoughtboxError(
    "STAGE_REQUIREMENT_NOT_MET",
    `${operation.name} needs stage ${requiredStage} (${operation.stage}). You are at stage ${callerState.stage} (${stageName(callerState.stage)}).`,
    {
      details: { currentStage: callerState.stage, requiredStage, ...(recent && { recentSessions: recent }) },
      recovery: nextOnPath(callerState, textOf(args, "sessionId") ?? callerState.sessionId),
    },
  );
}

function nextOnPath(callerState: CallerState, named: string | undefined): Recovery {
  if (callerState.stage >= stages.init_complete) {
    const args = callerState.sessionId === undefined ? {} : { sessionId: callerState.sessionId };
    return {
      hint: "Read the cipher first. It unlocks thought and the other operations.",
      operation: "cipher",
      args,
    };
  }
  if (named !== undefined) {
    return {
      hint: "Load the session first, then call cipher.",
      operation: "load_context",
      args: { sessionId: named },
    };
  }
  return {
    hint: "Start a session first, or load one of details.recentSessions with load_context. Then pass its sessionId.",
    operation: "start_new",
    args: {},
  };
}

export function describeNext(catalogue: readonly Operation[], stage: Stage): string {
  const opensAt = (wanted: Stage) => {
    const names = catalogue
      .filter(
        ({ family, toolset, stage: opens }) =>
          family === "ledger" && toolset !== "people" && stages[opens] === wanted,
      )
      .map(({ name }) => name.split(".")[0]);
    return [...new Set(names)].join(", ");
  };
  switch (stage) {
    case stages.entry:
      return "Open a session with start_new or load_context.";
    case stages.init_complete:
      return `Available now: ${opensAt(1)}. Next: cipher, which unlocks ${opensAt(2)}.`;
    case stages.cipher_loaded:
    case stages.domain_active:
      return `Available now: ${opensAt(2)}.`;
  }
}
