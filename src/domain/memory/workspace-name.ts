import { sha256Hex } from "../../kernel/sha256.ts";
import { defaultProject } from "../ledger/project.ts";
import { workspacePattern } from "./limits.ts";

const defaultWorkspace = "default";
const markLength = 10;

/**
 * The workspace that is named after a project. Projects may begin with an underscore, and workspaces may not; such a name
 * gets a mark of its own, because a project that shared its workspace would share its memory, locks notwithstanding.
 */
export function workspaceAfter(project: string): string {
  if (project === defaultProject) return defaultWorkspace;
  if (workspacePattern.test(project) && project !== defaultWorkspace) return project;
  const name = project.replace(/^[^A-Za-z0-9]+/, "");
  return `${name || "project"}-${sha256Hex(project).slice(0, markLength)}`;
}
