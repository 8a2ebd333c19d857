// Collects the licences of all code that is copied into `dist/`. Every copy must include them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the packages that the given file paths belong to. */
export function packagesOf(paths) {
  const names = paths.flatMap((path) => {
    const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path.replaceAll("\\", "/")) ?? [];
    return name === undefined ? [] : [name];
  });
  return [...new Set(names)].sort();
}

/** Throws if a package states no licence, because such a package cannot be redistributed. */
export function thirdPartyNotices(root, packages) {
  const notices = [...new Set(packages)].sort().map((name) => {
    const directory = join(root, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
    const files = readdirSync(directory).filter((file) => /^(?:licen[cs]e|notice|copying)\b/i.test(file));
    if (files.length === 0 || typeof license !== "string")
      throw new Error(`${name} is bundled, but has no licence.`);
    const texts = files.map((file) => readFileSync(join(directory, file), "utf8").trim());
    return [`${name} ${version} (${license})`, ...texts].join("\n\n");
  });
  const line = "-".repeat(80);
  return `${["Thoughtbox contains parts of these packages, under their own licences.", ...notices].join(`\n\n${line}\n`)}\n`;
}
