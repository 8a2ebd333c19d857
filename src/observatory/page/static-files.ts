import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";

export type StaticFile = { body: Buffer; type: string; etag: string; isImmutable: boolean };

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/**
 * Everything the page consists of, by path, read whole: what is not here is not served, whatever an address says, and a
 * build under a running server changes nothing for it. Empty where nothing was built.
 */
export async function loadStaticFiles(directory: string): Promise<ReadonlyMap<string, StaticFile>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && types[extname(entry.name)] !== undefined);
  const loaded = await Promise.all(
    files.map(async ({ name, parentPath }): Promise<[string, StaticFile]> => {
      const path = join(parentPath, name);
      const body = await readFile(path);
      const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
      // Vite writes the hash of the content into the names of what lies in `assets/`.
      const address = `/${relative(directory, path).split(sep).join("/")}`;
      const type = types[extname(name)] ?? "";
      return [address, { body, type, etag, isImmutable: address.startsWith("/assets/") }];
    }),
  );
  return new Map(loaded);
}
