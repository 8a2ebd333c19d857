import { slugProject } from "../../domain/ledger/project.ts";
import type { OperationContext } from "../pipeline/context.ts";
import { onlyProject } from "../pipeline/settings.ts";

/** Reading stays in the caller's project unless all are asked for; a locked server knows only its own. */
export function projectScope(
  { standing, settings }: OperationContext,
  asked: string | undefined,
): string | undefined {
  const only = onlyProject(settings);
  if (only !== undefined) return only;
  if (asked === "*") return undefined;
  return asked === undefined ? standing.project : slugProject(asked);
}
