import { ThoughtboxError } from "../../kernel/errors.ts";
import { checkPackage, type PackageSpec } from "./package-spec.ts";

export const blankPackageJson = JSON.stringify({ type: "module", dependencies: {} }, null, 2);

/** Only these are installed; whatever else the cell says is the reader's. */
const installed = ["dependencies", "devDependencies"] as const;

function refuse(message: string): never {
  throw new ThoughtboxError("INVALID_PAYLOAD", message, {
    recovery: {
      hint: 'A package.json cell holds one JSON object, such as {"dependencies": {"zod": "^4.0.0"}}.',
    },
  });
}

function parseObject(source: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(source);
  } catch (thrown) {
    refuse(
      `The package.json is not valid JSON: ${thrown instanceof Error ? thrown.message : "it cannot be read"}.`,
    );
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    refuse("The package.json is not a JSON object.");
  return parsed as Record<string, unknown>;
}

function readDependencies(parsed: Record<string, unknown>): Map<string, PackageSpec> {
  const found = new Map<string, PackageSpec>();
  for (const field of installed) {
    const listed = Object.hasOwn(parsed, field) ? parsed[field] : undefined;
    if (listed === undefined) continue;
    if (typeof listed !== "object" || listed === null || Array.isArray(listed))
      refuse(`${field} in the package.json is not an object of names and versions.`);
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
