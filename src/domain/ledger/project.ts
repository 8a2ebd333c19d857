import { maskForExport } from "../../kernel/secrets/secrets-policy.ts";
import { sha256Hex } from "../../kernel/sha256.ts";

const projectPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;

/** True if Windows opens a device for this name instead of a file or folder, whatever its extension. */
export const isDeviceName = (name: string): boolean => /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name);

export const defaultProject = "_default";

const markLength = 10;

/**
 * Turns any name into a project name that is safe as a folder. A name that must change gets a unique suffix, because
 * projects with the same name share their sessions. `a b`, `a/b` and `a-b` therefore remain distinct.
 */
export function slugProject(name: string): string {
  const trimmed = name.trim().normalize("NFC");
  if (trimmed === "" || trimmed === "*") return defaultProject;
  if (projectPattern.test(trimmed) && !/[-.]$/.test(trimmed) && !isDeviceName(trimmed)) return trimmed;
  // Masks the name before truncating it, because a truncated secret would not be recognised later.
  const slug = maskForExport(trimmed)
    .replace(isDeviceName(trimmed) ? /[^A-Za-z0-9_-]+/g : /[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9_]+/, "");
  const start = slug.slice(0, 64 - markLength - 1).replace(/[-.]+$/, "") || "project";
  return `${start}-${sha256Hex(trimmed).slice(0, markLength)}`;
}
