// Builds the web application with Vite: the page, and the script and style sheet for shared files. Skipped if its
// sources are unchanged, because most builds only change the server.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packagesOf } from "./third-party-notices.mjs";

/** Hashes the names and contents of all files that the application is built from. */
function fingerprint(root) {
  const below = (directory) =>
    readdirSync(join(root, directory), { recursive: true })
      .map((name) => join(directory, name))
      .filter((name) => statSync(join(root, name)).isFile());
  const hash = createHash("sha256");
  const files = [...below("ui").filter((name) => !name.endsWith(".test.ts")), "package-lock.json"];
  for (const name of files.sort()) hash.update(`${name}\0`).update(readFileSync(join(root, name)));
  return hash.digest("hex");
}

/** Builds the application, and returns the names of the packages in it. */
export async function buildObservatory(root, out) {
  const mark = join(out, ".built-from");
  const wanted = fingerprint(root);
  const [builtFrom, ...known] = existsSync(mark) ? readFileSync(mark, "utf8").trimEnd().split("\n") : [];
  if (builtFrom === wanted && known.length > 0) return known;
  const { build } = await import("vite");
  const configFile = join(root, "ui", "vite.config.ts");
  const built = [await build({ configFile }), await build({ configFile, mode: "share" })];
  const sources = built
    .flat()
    .flatMap(({ output }) =>
      output.flatMap(({ moduleIds = [], originalFileNames = [] }) => [...moduleIds, ...originalFileNames]),
    );
  const packages = packagesOf(sources);
  mkdirSync(out, { recursive: true });
  writeFileSync(mark, `${[wanted, ...packages].join("\n")}\n`);
  return packages;
}
