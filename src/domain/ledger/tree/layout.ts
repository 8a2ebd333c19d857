import { branchIdPattern, limits, sessionIdPattern } from "../limits.ts";
import { isDeviceName, slugProject } from "../project.ts";
import type { Address } from "../thought.ts";

/** The parts of a session's folder path. These parts are fixed when the session is created. */
export type SessionPlace = { id: string; project: string; partitionPath?: string | undefined };

export const manifestName = "manifest.json";
export const branchesFolder = "branches";
export const critiquesFolder = "critiques";

/** Matches `2025-12`, `2025-W50` and `2025-12-07`. */
const partitionPattern = /^\d{4}-(?:\d{2}|W\d{2}|\d{2}-\d{2})$/;

export const isPartition = (name: string): boolean => partitionPattern.test(name);
export const isSessionId = (name: string): boolean => sessionIdPattern.test(name);
export const isBranchId = (name: string): boolean => branchIdPattern.test(name);
const isProject = (name: string): boolean => slugProject(name) === name;

/**
 * Returns the session's folder path inside the data directory. Names are checked against their patterns
 * before they are used in a path.
 */
export function sessionFolder({ id, project, partitionPath }: SessionPlace): string[] {
  const safe =
    isSessionId(id) && isProject(project) && (partitionPath === undefined || isPartition(partitionPath));
  if (!safe) throw new TypeError("A session's ID, project or partition is not a valid folder name.");
  return ["projects", project, "sessions", ...(partitionPath === undefined ? [] : [partitionPath]), id];
}

/** Returns the path of a chain's folder inside the session's folder. Empty for the main chain. */
export function chainFolder(branchId: string | undefined): string[] {
  if (branchId === undefined) return [];
  if (!isBranchId(branchId)) throw new TypeError("A branch's ID is not a valid folder name.");
  return [branchesFolder, isDeviceName(branchId) ? `${branchId}_` : branchId];
}

/** Returns the branch whose thoughts are in this folder, or `undefined` for any other folder. */
export function branchOfFolder(name: string): string | undefined {
  const branchId = name.endsWith("_") && isDeviceName(name.slice(0, -1)) ? name.slice(0, -1) : name;
  return isBranchId(branchId) ? branchId : undefined;
}

/** Returns a name such as `001.json`. Larger numbers are longer, so sort names by number, never as text. */
export function thoughtFileName(thoughtNumber: number): string {
  return `${String(thoughtNumber).padStart(3, "0")}.json`;
}

/** Returns the number in a thought's file name, padded or not, or `undefined` for any other name. */
export function parseThoughtFileName(name: string): number | undefined {
  const digits = /^(\d{1,9})\.json$/.exec(name)?.[1];
  const number = Number(digits);
  return digits !== undefined && number >= 1 && number <= limits.thoughtNumber ? number : undefined;
}

/** Returns the path of a critique. Critiques are numbered per session, as in their chain. */
export function critiquePath(position: number): string {
  return `${critiquesFolder}/${thoughtFileName(position)}`;
}

/** Returns a thought's path for reports: `003.json`, or `branches/alt/003.json`. */
export function thoughtPath({ branchId, thoughtNumber }: Address): string {
  return [...chainFolder(branchId), thoughtFileName(thoughtNumber)].join("/");
}
