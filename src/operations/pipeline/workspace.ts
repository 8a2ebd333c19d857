import { defaultProject } from "../../domain/ledger/project.ts";
import { workspacePattern } from "../../domain/memory/limits.ts";
import { ThoughtboxError } from "../../kernel/errors.ts";
import { sha256Hex } from "../../kernel/sha256.ts";
import { quote } from "../../kernel/text.ts";
import { anyone, type Workspace } from "../../ports/memory/memory-store.ts";
import { type Caller, ownProject, type Services, type Settings } from "./context.ts";

const defaultWorkspace = "default";
const markLength = 10;

/**
 * Returns the workspace named after a project. Project names may begin with an underscore, but workspace
 * names may not. A project whose name begins with an underscore gets a workspace with a distinct name. If two
 * projects had the same workspace, they would share its memory, even with a project lock.
 */
export function workspaceAfter(project: string): string {
  if (project === defaultProject) return defaultWorkspace;
  if (workspacePattern.test(project) && project !== defaultWorkspace) return project;
  const name = project.replace(/^[^A-Za-z0-9]+/, "");
  return `${name || "project"}-${sha256Hex(project).slice(0, markLength)}`;
}

/** Returns the caller's workspace: the server's, if set, or the one named after the caller's project. */
export const ownWorkspace = (settings: Settings, caller: Pick<Caller, "binding" | "project">): string =>
  settings.workspace ?? workspaceAfter(isLocked(settings) ? settings.project : ownProject(caller, settings));

/** A lock on a project also locks its workspace, and callers cannot change either. */
export const isLocked = ({
  projectLock,
  workspaceLock,
}: Pick<Settings, "projectLock" | "workspaceLock">): boolean => projectLock || workspaceLock;

export const isServed = ({ workspaceAllow }: Pick<Settings, "workspaceAllow">, workspace: string): boolean =>
  workspaceAllow.length === 0 || workspaceAllow.includes(workspace);

/** True if the workspace is bound to another project. A server without a guard cannot use it either. */
export const isForeign = (
  { projectGuard }: Pick<Settings, "projectGuard">,
  state: Workspace | undefined,
): boolean => state?.projectGuard !== undefined && state.projectGuard !== projectGuard;

/** Returns the caller's workspace, or `undefined` if it does not exist or calls may not use it. */
export async function findOwnWorkspace(
  { memory, settings }: Pick<Services, "memory" | "settings">,
  caller: Caller,
): Promise<string | undefined> {
  const name = ownWorkspace(settings, caller);
  const state = isServed(settings, name) ? await memory.readWorkspace(name, anyone) : undefined;
  return state && !isForeign(settings, state) ? name : undefined;
}

/** Lists the existing workspaces that a caller in this workspace may use, most recently written first. */
export async function listOpenWorkspaces(
  { memory, settings }: Pick<Services, "memory" | "settings">,
  own: string,
  limit: number,
): Promise<string[]> {
  const { workspaceAllow } = settings;
  const allowed = isLocked(settings) ? [own] : workspaceAllow.length > 0 ? workspaceAllow : undefined;
  const names = await memory.listWorkspaces(limit, allowed);
  const states = await Promise.all(names.map((name) => memory.readWorkspace(name, anyone)));
  return names.filter((_, at) => !isForeign(settings, states[at]));
}

export function chooseWorkspace(settings: Settings, own: string, asked: string | undefined): string {
  const chosen = asked ?? own;
  if (isLocked(settings) && chosen !== own) {
    throw new ThoughtboxError("WORKSPACE_LOCKED", `This server is locked to the workspace ${quote(own)}.`, {
      details: { workspace: chosen, locked_to: own },
      recovery: { hint: "Omit workspace to use the server's own.", operation: "status", args: {} },
    });
  }
  if (!isServed(settings, chosen)) {
    const allowed = settings.workspaceAllow.slice(0, 20);
    throw new ThoughtboxError(
      "WORKSPACE_NOT_ALLOWED",
      `This server does not serve the workspace ${quote(chosen)}.`,
      {
        details: { workspace: chosen, allowed },
        recovery: {
          hint: `Use a workspace that this server serves, such as ${allowed[0]}.`,
          operation: "status",
          args: { workspace: allowed[0] },
        },
      },
    );
  }
  return chosen;
}

export function checkGuard(settings: Settings, state: Workspace | undefined): void {
  if (!isForeign(settings, state)) return;
  throw new ThoughtboxError(
    "PROJECT_GUARD_MISMATCH",
    `The workspace ${quote(state?.name ?? "")} belongs to another project.`,
    {
      recovery: {
        hint: "Use another workspace, or set THOUGHTBOX_PROJECT_GUARD to this workspace's guard. See how init creates a workspace.",
        operation: "help",
        args: { topic: "init" },
      },
    },
  );
}
