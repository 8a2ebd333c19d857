import { workspacePattern } from "../../domain/memory/limits.ts";
import type { Workspace } from "../../ports/memory/memory-store.ts";
import type { Caller, Services, Standing } from "./context.ts";
import type { Args, Operation } from "./operation.ts";
import { resolveStanding } from "./standing.ts";
import { checkGuard, chooseWorkspace, ownWorkspace } from "./workspace.ts";

/** What a call works on. */
export type ResolvedScope =
  | { of: "nothing" }
  | { of: "session"; standing: Standing }
  | { of: "workspace"; workspace: string; ownWorkspace: string; state: Workspace | undefined };

/** Finds what the call works on, by the operation's declaration; what a lock keeps away is not found. */
export async function resolveScope(
  services: Services,
  { scope }: Operation,
  args: Args,
  caller: Caller,
): Promise<ResolvedScope> {
  const { memory, settings } = services;
  switch (scope) {
    case "caller":
    case "session": {
      const standing = await resolveStanding(services, caller, textOf(args, "sessionId"));
      return { of: "session", standing };
    }
    case "own":
      return { of: "session", standing: await resolveStanding(services, caller, undefined) };
    case "workspace": {
      const asked = textOf(args, "workspace");
      // A name that cannot be one is refused by validation, which says why.
      if (asked !== undefined && !workspacePattern.test(asked)) return { of: "nothing" };
      const own = ownWorkspace(settings, caller);
      const workspace = chooseWorkspace(settings, own, asked);
      const state = await memory.readWorkspace(workspace);
      checkGuard(settings, state);
      return { of: "workspace", workspace, ownWorkspace: own, state };
    }
  }
}

export const textOf = (args: Args, field: string): string | undefined => {
  const value = args[field];
  return typeof value === "string" ? value : undefined;
};
