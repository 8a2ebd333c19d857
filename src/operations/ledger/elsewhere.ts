import type { OperationContext } from "../pipeline/context.ts";

const named = 3;

type Elsewhere = { hint: string; fullest: string };

/** What other projects hold, for a caller who found nothing in its own; nothing where the server is locked to one. */
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
    hint: `Project ${project} holds none. Sessions elsewhere: ${held.join(", ")}; project: "${first.project}" reaches them, "*" lists all.`,
    fullest: first.project,
  };
}
