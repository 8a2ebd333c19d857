import { maskForExport } from "../../kernel/secrets/secrets-policy.ts";
import { sha256Hex } from "../../kernel/sha256.ts";

const projectPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;

/** Windows opens a device instead of a file or folder of this name, with any ending. */
export const isDeviceName = (name: string): boolean => /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name);

/** The project if none is chosen. */
export const defaultProject = "_default";

const markLength = 10;

/**
 * Any name becomes a project name that is safe as a folder. A name that is not one itself keeps what it can
 * and ends in its own mark: projects that share a name share their sessions, so `a b`, `a/b` and `a-b` stay
 * apart.
 */
export function slugProject(name: string): string {
  const trimmed = name.trim().normalize("NFC");
  if (trimmed === "" || trimmed === "*") return defaultProject;
  if (projectPattern.test(trimmed) && !/[-.]$/.test(trimmed) && !isDeviceName(trimmed)) return trimmed;
  // Half of a secret would not be recognised in an answer.
  const slug = maskForExport(trimmed)
    .replace(isDeviceName(trimmed) ? /[^A-Za-z0-9_-]+/g : /[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9_]+/, "");
  const start = slug.slice(0, 64 - markLength - 1).replace(/[-.]+$/, "") || "project";
  return `${start}-${sha256Hex(trimmed).slice(0, markLength)}`;
}
