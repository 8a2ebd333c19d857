// Finds the JavaScript file of a package's program. On Windows, the programs in node_modules/.bin are batch files, which
// can only be started through a shell.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the command for `spawn`, and its first argument. */
export function programOf(root, packageName, program = packageName) {
  const folder = join(root, "node_modules", packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const entry = typeof bin === "string" ? bin : bin?.[program];
  if (entry === undefined) throw new Error(`${packageName} has no program ${program}`);
  return [process.execPath, join(folder, entry)];
}
