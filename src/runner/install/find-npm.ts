import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { findProgram } from "../sandbox/layer.ts";

/** npm as a script for our own Node, wherever that came from. */
export async function findNpm(node: string): Promise<string | undefined> {
  const beside = [
    join(dirname(node), "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
    join(dirname(node), "node_modules", "npm", "bin", "npm-cli.js"),
    "/usr/share/nodejs/npm/bin/npm-cli.js",
  ].find(existsSync);
  if (beside !== undefined) return beside;
  const found = await findProgram("npm");
  return found === undefined ? undefined : realpathSync(found);
}
