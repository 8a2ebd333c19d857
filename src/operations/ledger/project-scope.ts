import { slugProject } from "../../domain/ledger/project.ts";
import { type OperationContext, onlyProject } from "../pipeline/context.ts";

/** Reads stay in the caller's project unless all are requested. A locked server knows only its own. */
export function projectScope(
  { callerState, settings }: OperationContext,
  asked: string | undefined,
): string | undefined {
  const only = onlyProject(settings);
  if (only !== undefined) return only;
  if (asked === "*") return undefined;
  return asked === undefined ? callerState.project : slugProject(asked);
}

const named = 3;

type Elsewhere = { hint: string; fullest: string };

/**
 * What other projects contain, for a caller that found nothing in its own. Empty if the server is locked to a
 * project.
 */
export async function lookElsewhere(
  { ledger, settings }: Pick<OperationContext, "ledger" | "settings">,
  project: string | undefined,
): Promise<Elsewhere | undefined> {
  if (settings.projectLock || project === undefined) return undefined;
  const others = (await ledger.countByProject(named + 1)).filter((other) => other.project !== project);
  const [first] = others;
  if (!first) return undefined;
  const held = others.slice(0, named).map((other) => `${other.project} ${other.sessions}`);
  return {
    hint: `Project ${project} has no sessions. Other projects have some: ${held.join(", ")}. Pass project: "${first.project}" to see them, or "*" for all.`,
    fullest: first.project,
  };
}
