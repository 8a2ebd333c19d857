import { notebookFailure } from "./failures.ts";

export const blankPackageJson = JSON.stringify({ type: "module", dependencies: {} }, null, 2);

/** Only these are installed. The runner ignores the rest of the cell. */
const installed = ["dependencies", "devDependencies"] as const;

function parseObject(source: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(source);
  } catch (thrown) {
    const because = thrown instanceof Error ? thrown.message : "it cannot be read";
    throw notebookFailure("invalid_package_json", { problem: `is not valid JSON: ${because}` });
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw notebookFailure("invalid_package_json", { problem: "is not a JSON object" });
  return parsed as Record<string, unknown>;
}

/** A package from the registry, with its version range. */
type PackageSpec = { name: string; range: string };

const longestName = 214;
const longestRange = 100;
const namePattern = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** One comparator: `1.2.3`, `^1.2`, `>=2.0.0-beta.1`, `1.x`, `*`. */
const comparator =
  /^(?:\^|~|[<>]=?|=)?v?(?:\*|[xX]|\d{1,10}(?:\.(?:\d{1,10}|[xX*])){0,2})(?:[-+][0-9A-Za-z.+-]+)?$/;

/**
 * Only comparators and `latest` are accepted. Anything npm would fetch from outside the registry (`file:`, `link:`,
 * git, URLs, `npm:` aliases, folders, tarballs) is not a range.
 */
function isRange(range: string): boolean {
  if (range === "latest") return true;
  if (range.length > longestRange) return false;
  return range.split("||").every((part) => {
    const words = part.trim().split(/\s+/);
    const isHyphenRange = words.length === 3 && words[1] === "-";
    return (isHyphenRange ? [words[0] ?? "", words[2] ?? ""] : words).every((word) => comparator.test(word));
  });
}

function isPackageName(name: string): boolean {
  return name.length <= longestName && namePattern.test(name);
}

/** `name`, `name@range`, `@scope/name@range`. */
export function parsePackageSpec(spec: string): PackageSpec {
  const at = spec.indexOf("@", 1);
  const name = at === -1 ? spec : spec.slice(0, at);
  const range = at === -1 ? "latest" : spec.slice(at + 1);
  return checkPackage(name, range);
}

function checkPackage(name: string, range: unknown): PackageSpec {
  if (isPackageName(name) && typeof range === "string" && isRange(range)) return { name, range };
  throw notebookFailure("not_a_package", { spec: typeof range === "string" ? `${name}@${range}` : name });
}

function readDependencies(parsed: Record<string, unknown>): Map<string, PackageSpec> {
  const found = new Map<string, PackageSpec>();
  for (const field of installed) {
    const listed = Object.hasOwn(parsed, field) ? parsed[field] : undefined;
    if (listed === undefined) continue;
    if (typeof listed !== "object" || listed === null || Array.isArray(listed))
      throw notebookFailure("invalid_package_list", { field });
    for (const [name, range] of Object.entries(listed)) found.set(name, checkPackage(name, range));
  }
  return found;
}

/** The packages in a package.json cell. Refuses the cell if one of them is not from the registry. */
export function dependenciesOf(source: string): PackageSpec[] {
  return [...readDependencies(parseObject(source)).values()];
}

/** The same cell with these packages added to its dependencies and nothing else changed. */
export function withDependencies(source: string, added: readonly PackageSpec[]): string {
  const parsed = parseObject(source);
  readDependencies(parsed);
  const dependencies = { ...(parsed["dependencies"] as Record<string, string> | undefined) };
  for (const { name, range } of added) dependencies[name] = range;
  const sorted = Object.fromEntries(Object.entries(dependencies).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify({ ...parsed, dependencies: sorted }, null, 2);
}
