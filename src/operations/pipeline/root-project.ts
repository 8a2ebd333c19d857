import { fileURLToPath } from "node:url";
import { defaultProject, slugProject } from "../../domain/ledger/project.ts";
import type { Binding, Caller, Root, Services } from "./context.ts";
import type { Args, Operation } from "./operation.ts";
import type { RoutedCall } from "./perform.ts";
import { isServed, ownWorkspace } from "./workspace.ts";

type RootServices = Pick<Services, "settings" | "findRepositoryProject">;

/** These operations ask for the roots themselves. */
const rootOperations: readonly string[] = ["list_roots", "bind_root"];

/**
 * Over HTTP, a client's roots choose the project, as the working directory does over stdio. The project in the server's
 * URL, a bound root and a requested project take precedence. Returns "ask" if the client must be asked for its roots
 * first, which happens once per conversation and after each change of the roots.
 */
export function applyRoots(
  services: RootServices,
  { name }: Operation,
  args: Args,
  call: RoutedCall,
): RoutedCall | "ask" {
  const { caller, answers = {}, mayAskRoots } = call;
  const { binding } = caller;
  if (!binding || caller.project !== undefined || !isUndecided(services)) return call;
  const isNamed = typeof args["project"] === "string" || rootOperations.includes(name);
  if (mayAskRoots && caller.can.roots && !isNamed && needsRoots(binding)) {
    if (!answers.roots) return "ask";
    takeRoots(services, caller, binding, answers.roots);
  }
  const project = binding.roots?.project;
  return project === undefined ? call : { ...call, caller: { ...caller, project } };
}

const isUndecided = ({ settings }: RootServices): boolean =>
  settings.project === defaultProject && !settings.projectLock;

const needsRoots = ({ project, boundRoot, roots }: Binding): boolean =>
  boundRoot === undefined &&
  (roots === undefined || roots.isOutdated === true) &&
  (project === undefined || project === roots?.project);

function takeRoots(
  services: RootServices,
  caller: Caller,
  binding: Binding,
  roots: readonly Root[] | { failed: string },
): void {
  const previous = binding.roots?.project;
  const project = "failed" in roots ? previous : chooseProject(services, caller, roots);
  binding.roots = { project };
  if (binding.project === undefined || project === previous) return;
  // The active session keeps its project. Sessions opened from now on belong to the new one.
  binding.project = project ?? services.settings.project;
  binding.navigation = { ...binding.navigation, project: binding.project };
}

/**
 * Looks up roots on this machine only for a process of the same user. For any other client, the roots only provide a
 * name, as with bind_root.
 */
function chooseProject(
  { settings, findRepositoryProject }: RootServices,
  { isOwnProcess }: Caller,
  roots: readonly Root[],
): string | undefined {
  const names = isOwnProcess
    ? roots.map(({ uri }) => toFolder(uri)).map((folder) => folder && findRepositoryProject(folder))
    : roots.slice(0, 1).map(nameOfRoot);
  const name = names.find((found) => found !== undefined && found !== "");
  const project = name === undefined ? undefined : slugProject(name);
  return project !== undefined && isServed(settings, ownWorkspace(settings, { project }))
    ? project
    : undefined;
}

/** `undefined` for a folder on another machine, which Windows would contact. */
function toFolder(uri: string): string | undefined {
  try {
    const url = new URL(uri);
    return url.protocol === "file:" && url.host === "" ? fileURLToPath(url) : undefined;
  } catch {
    return undefined;
  }
}

export const nameOfRoot = ({ name, uri }: Root): string => name?.trim() || lastSegment(uri);

export function lastSegment(uri: string): string {
  const segment = uri.replace(/\/+$/, "").split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
