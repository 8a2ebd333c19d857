import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

type PackageFiles = Record<string, string>;

/** Opens a registry that offers version 1.0.0 of these packages and records the requests it receives. */
export async function openFakeRegistry(
  packages: Record<string, { manifest?: object; files?: PackageFiles }>,
) {
  const asked: string[] = [];
  const tarballs = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "");
    asked.push(path);
    const tarball = tarballs.get(path);
    const name = path.slice(1);
    if (tarball) response.end(tarball);
    else if (Object.hasOwn(packages, name)) response.end(JSON.stringify(packument(name)));
    else response.writeHead(404).end("{}");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  function manifestOf(name: string): object {
    return { name, version: "1.0.0", main: "index.js", ...packages[name]?.manifest };
  }
  function packument(name: string): object {
    const tarball = tarballs.get(`/${name}/-/${name}-1.0.0.tgz`) ?? Buffer.alloc(0);
    const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
    const dist = { tarball: `${url}${name}/-/${name}-1.0.0.tgz`, integrity };
    const manifest = manifestOf(name) as { scripts?: object };
    const version = { ...manifest, dist, ...(manifest.scripts && { hasInstallScript: true }) };
    return { name, "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } };
  }
  for (const [
    name,
    { files = { "index.js": `module.exports = ${JSON.stringify(name)};` } },
  ] of Object.entries(packages))
    tarballs.set(
      `/${name}/-/${name}-1.0.0.tgz`,
      pack({ "package.json": JSON.stringify(manifestOf(name)), ...files }),
    );

  return { url, asked, close: () => server.close() };
}

function pack(files: PackageFiles): Buffer {
  const directory = mkdtempSync(join(tmpdir(), "thoughtbox-pack-"));
  try {
    mkdirSync(join(directory, "package"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, "package", name), text);
    execFileSync("tar", ["-czf", "package.tgz", "package"], { cwd: directory });
    return readFileSync(join(directory, "package.tgz"));
  } finally {
    rmSync(directory, { recursive: true });
  }
}
