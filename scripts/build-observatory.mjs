// Builds the web application with Vite: the page, and the script and style that shared files carry. Skipped while
// nothing it is made of has changed, because most builds are made for the server.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packagesOf } from "./third-party-notices.mjs";

/** Names and contents of everything the application is built from. */
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

/** Returns the names of the packages that are part of it. */
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
