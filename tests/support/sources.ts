import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Returns every TypeScript file below a directory. */
export function sourceFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(directory, name));
}

export type Import = { specifier: string; typeOnly: boolean };

/** Finds `import … from`, `import "…"`, `export … from`, `import()` and `require()`. Computed names are kept as is. */
export function importsOf(text: string): Import[] {
  const declared = [...text.matchAll(/^(?:import|export)\s+(type\s)?([^"';]*?)\bfrom\s*"([^"]+)"/gm)].map(
    ([, type, names = "", specifier = ""]) => ({
      specifier,
      typeOnly: type !== undefined || namesOnlyTypes(names),
    }),
  );
  const bare = [...text.matchAll(/^import\s*"([^"]+)"/gm)];
  const dynamic = [...text.matchAll(/\b(?:import|require)\s*\(\s*(?:"([^"]*)"|([^)\s][^)]*))/g)];
  return [
    ...declared,
    ...bare.map(([, specifier = ""]) => ({ specifier, typeOnly: false })),
    ...dynamic.map(([, literal, computed]) => ({ specifier: literal ?? `${computed}`, typeOnly: false })),
  ];
}

function namesOnlyTypes(names: string): boolean {
  const listed = /^\{([^}]*)\}\s*$/.exec(names.trim())?.[1];
  const entries = listed?.split(",").flatMap((name) => name.trim() || []) ?? [];
  return entries.length > 0 && entries.every((name) => name.startsWith("type "));
}

/** Removes comments from code formatted by biome. A `/*` inside a string would break this function. */
export const withoutComments = (text: string): string =>
  text.replace(/\/\*\*?[\s\S]*?\*\//g, "").replace(/(?:^|\s)\/\/.*$/gm, "");
