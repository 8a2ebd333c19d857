import { notebookFailure } from "./failures.ts";
import { checkPackage, type PackageSpec } from "./package-spec.ts";

export const blankPackageJson = JSON.stringify({ type: "module", dependencies: {} }, null, 2);

/** Only these are installed; whatever else the cell says is the reader's. */
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

/** The packages a package.json cell asks for; refuses the cell when one of them is not of the registry. */
export function dependenciesOf(source: string): PackageSpec[] {
  return [...readDependencies(parseObject(source)).values()];
}

/** The same cell with these packages among its dependencies, everything else as it was. */
export function withDependencies(source: string, added: readonly PackageSpec[]): string {
  const parsed = parseObject(source);
  readDependencies(parsed);
  const dependencies = { ...(parsed["dependencies"] as Record<string, string> | undefined) };
  for (const { name, range } of added) dependencies[name] = range;
  const sorted = Object.fromEntries(Object.entries(dependencies).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify({ ...parsed, dependencies: sorted }, null, 2);
}
