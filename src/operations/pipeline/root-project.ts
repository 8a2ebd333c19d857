import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultProject, slugProject } from "../../domain/ledger/project.ts";
import type { Answers, Binding, Caller, Root, Services } from "./context.ts";
import type { Args, Operation } from "./operation.ts";
import type { RoutedCall } from "./perform.ts";
import { isServed, ownWorkspace } from "./workspace.ts";

type RootServices = Pick<Services, "settings" | "findRepositoryProject">;

/** The maximum number of roots to look up, and of folders in the path of a root. */
const most = { roots: 8, folders: 64 } as const;

/** These operations ask for the roots themselves. */
const rootOperations: readonly string[] = ["list_roots", "bind_root"];

/**
 * Over HTTP, a client's roots choose the project, as the working directory does over stdio. The project in the server's
 * URL, a bound root and a requested project take precedence. Returns "ask" if the client must be asked for its roots
 * first, which happens once per conversation and after each change of the roots. A client that answers late is asked
 * once more.
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
  const isChosen = typeof args["project"] === "string";
  // Later calls use the chosen project, so the client is not asked again.
  if (isChosen && binding.roots?.wasLate) binding.roots = { project: binding.roots.project };
  const isNamed = isChosen || rootOperations.includes(name);
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
  (project === undefined ||
    project === roots?.project ||
    (roots?.wasLate === true && project === defaultProject));

function takeRoots(
  services: RootServices,
  caller: Caller,
  binding: Binding,
  roots: NonNullable<Answers["roots"]>,
): void {
  const previous = binding.roots?.project;
  const project = "failed" in roots ? previous : chooseProject(services, caller, roots);
  const mayRetry = "failed" in roots && roots.isLate === true && binding.roots?.wasLate !== true;
  binding.roots = { project, ...(mayRetry && { isOutdated: true, wasLate: true }) };
  if (binding.project === undefined || project === previous) return;
  // The active session keeps its project. Sessions opened from now on belong to the new project.
  binding.project = project ?? services.settings.project;
  binding.navigation = { ...binding.navigation, project: binding.project };
}

/**
 * Returns the project of the roots. Looks up roots on this machine only for a process of the same user. For
 * any other client, the first root's name is the project, as with bind_root.
 */
function chooseProject(
  { settings, findRepositoryProject }: RootServices,
  { isOwnProcess }: Caller,
  roots: readonly Root[],
): string | undefined {
  const found = isOwnProcess ? findFirst(roots.slice(0, most.roots), findRepositoryProject) : undefined;
  const name = isOwnProcess ? found?.name : roots.slice(0, 1).map(nameOfRoot)[0];
  if (name === undefined || name === "") return undefined;
  const project = slugProject(name);
  if (!isServed(settings, ownWorkspace(settings, { project }))) return undefined;
  found?.claim();
  return project;
}

/** Returns the project of the first root that is in a repository. */
function findFirst(roots: readonly Root[], find: RootServices["findRepositoryProject"]) {
  for (const { uri } of roots) {
    const folder = toFolder(uri);
    const found = folder === undefined ? undefined : find(folder);
    if (found) return found;
  }
  return undefined;
}

/**
 * Converts a root's URI to a path. Returns `undefined` for a very deep folder, and for a folder on another
 * machine, because Windows would contact that machine.
 */
function toFolder(uri: string): string | undefined {
  try {
    const url = new URL(uri);
    if (url.protocol !== "file:" || url.host !== "") return undefined;
    const folder = fileURLToPath(url);
    return folder.split(sep).filter((name) => name !== "").length <= most.folders ? folder : undefined;
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
