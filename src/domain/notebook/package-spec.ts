import { notebookFailure } from "./failures.ts";

/** A package of the registry and which of its versions. */
export type PackageSpec = { name: string; range: string };

const longestName = 214;
const longestRange = 100;
const namePattern = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** One comparator: `1.2.3`, `^1.2`, `>=2.0.0-beta.1`, `1.x`, `*`. */
const comparator =
  /^(?:\^|~|[<>]=?|=)?v?(?:\*|[xX]|\d{1,10}(?:\.(?:\d{1,10}|[xX*])){0,2})(?:[-+][0-9A-Za-z.+-]+)?$/;

/**
 * What npm would fetch from anywhere but the registry (`file:`, `link:`, git, URLs, `npm:` aliases, folders, tarballs)
 * is no range: only comparators and `latest` pass.
 */
export function isRange(range: string): boolean {
  if (range === "latest") return true;
  if (range.length > longestRange) return false;
  return range.split("||").every((part) => {
    const words = part.trim().split(/\s+/);
    const isHyphenRange = words.length === 3 && words[1] === "-";
    return (isHyphenRange ? [words[0] ?? "", words[2] ?? ""] : words).every((word) => comparator.test(word));
  });
}

export function isPackageName(name: string): boolean {
  return name.length <= longestName && namePattern.test(name);
}

/** `name`, `name@range`, `@scope/name@range`. */
export function parsePackageSpec(spec: string): PackageSpec {
  const at = spec.indexOf("@", 1);
  const name = at === -1 ? spec : spec.slice(0, at);
  const range = at === -1 ? "latest" : spec.slice(at + 1);
  return checkPackage(name, range);
}

export function checkPackage(name: string, range: unknown): PackageSpec {
  if (isPackageName(name) && typeof range === "string" && isRange(range)) return { name, range };
  throw notebookFailure("not_a_package", { spec: typeof range === "string" ? `${name}@${range}` : name });
}
