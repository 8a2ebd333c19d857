import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { createTestRunner } from "../test-runner.testing.ts";

type Entry = { name: string; type?: string; link?: string; data?: string; size?: number; mode?: number };

/** Creates a tar archive with any fields, including invalid ones. */
function tar(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap(({ name, type = "0", link = "", data = "", size, mode = 0o644 }) => {
    const header = Buffer.alloc(512);
    const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, "0")}\0`;
    header.write(name.slice(0, 100), 0, "latin1");
    header.write(octal(mode, 8), 100);
    header.write(octal(0, 8), 108);
    header.write(octal(0, 8), 116);
    header.write(octal(size ?? Buffer.byteLength(data), 12), 124);
    header.write(octal(0, 12), 136);
    header.write("        ", 148);
    header.write(type, 156);
    header.write(link.slice(0, 100), 157, "latin1");
    header.write("ustar\x0000", 257, "latin1");
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    const body = Buffer.alloc(Math.ceil(Buffer.byteLength(data) / 512) * 512);
    body.write(data);
    return [header, body];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

const manifest = (name: string) => JSON.stringify({ name, version: "1.0.0", main: "index.js" });
const good: Entry[] = [
  { name: "package/package.json", data: manifest("bad") },
  { name: "package/index.js", data: "module.exports = 'bad';" },
];

type Answers = {
  tarball?: Buffer;
  /** Replaces the packument or the tarball. */
  about?: (res: ServerResponse, url: string) => void;
  fetched?: (res: ServerResponse, url: string) => void;
};

async function openRegistry({ tarball = tar(good), about, fetched }: Answers) {
  const server = createServer((req, res) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    if (req.url?.endsWith(".tgz")) return fetched ? fetched(res, url) : void res.end(tarball);
    if (about) return about(res, url);
    const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
    const dist = { tarball: `${url}bad/-/bad-1.0.0.tgz`, integrity };
    res.end(
      JSON.stringify({
        name: "bad",
        "dist-tags": { latest: "1.0.0" },
        versions: { "1.0.0": { name: "bad", version: "1.0.0", dist } },
      }),
    );
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function installFrom(runner: ReturnType<typeof createTestRunner>, answers: Answers) {
  process.env["npm_config_registry"] = await openRegistry(answers);
  try {
    return await runner.runner.install(
      { notebookId: runner.notebookId, packages: [{ name: "bad", range: "1.0.0" }] },
      { signal: new AbortController().signal, progress: () => {} },
    );
  } finally {
    Reflect.deleteProperty(process.env, "npm_config_registry");
  }
}

/** Lists entries that are neither files nor folders, have a setuid bit, or are hard links. */
function strange(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => {
    const about = lstatSync(join(folder, name));
    if ((about.mode & 0o6000) !== 0) return true;
    return about.isFile() ? about.nlink > 1 : !about.isDirectory();
  });
}

const outside = mkdtempSync(join(tmpdir(), "thoughtbox-outside-"));
afterAll(() => rmSync(outside, { recursive: true, force: true }));

const upwards = `package/${"../".repeat(25)}${outside.slice(1)}/evil`;
const extended = `path=${outside}/evil\n`;
const script = { name: "bad", version: "1.0.0", scripts: { postinstall: `touch ${outside}/evil` } };

const hostile: Record<string, Entry[]> = {
  "hostile paths, links, devices and permissions": [
    { name: "package/../../../../evil", data: "x" },
    { name: upwards.slice(0, 100), data: "x" },
    { name: `${outside}/evil`, data: "x" },
    { name: "PaxHeader", type: "x", data: `${extended.length + 3} ${extended}` },
    { name: "package/short", data: "x" },
    { name: "package/link", type: "2", link: outside },
    { name: "package/link/evil", data: "x" },
    { name: "package/hard", type: "1", link: `${outside}/secret` },
    { name: "package/harder", type: "1", link: "../../../../../etc/passwd" },
    { name: "package/zero", type: "3" },
    { name: "package/pipe", type: "6" },
    { name: "package/suid", data: "#!/bin/sh\n", mode: 0o6755 },
    { name: "package/.npmrc", data: "ignore-scripts=false\nregistry=http://127.0.0.1:9/\n" },
    { name: "package/package.json", data: JSON.stringify(script) },
  ],
  "a link in place of the package": [
    { name: "package", type: "2", link: outside },
    { name: "package/evil", data: "x" },
  ],
  "a size that is too large": [{ name: "package/lies", data: "x", size: 0o7777777777 }],
};

describe.each(["strong", "basic"] as const)("a package at %s", (level) => {
  const runner = createTestRunner(level);
  afterAll(runner.close);

  test.each(Object.entries(hostile))("with %s changes nothing outside", async (_, entries) => {
    const { level: found } = await runner.runner.sandbox();
    if (found !== level) return;
    writeFileSync(join(outside, "secret"), "mine");
    await installFrom(runner, { tarball: tar([...good, ...entries]) });
    expect(readdirSync(outside)).toEqual(["secret"]);
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("mine");
    expect(lstatSync(join(outside, "secret")).nlink).toBe(1);
    expect(strange(join(runner.directory, "node_modules"))).toEqual([]);
    expect(readdirSync(runner.root)).toEqual([runner.notebookId]);
  });
});

describe("a registry", () => {
  const runner = createTestRunner("auto");
  afterAll(runner.close);

  test("cannot redirect npm to another server", async () => {
    const asked: string[] = [];
    const decoy = createServer((req, res) => {
      asked.push(req.url ?? "");
      res.end("{}");
    });
    await once(decoy.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void decoy.close());
    const elsewhere = `http://127.0.0.1:${(decoy.address() as AddressInfo).port}/bad`;
    const redirect = (res: ServerResponse) => res.writeHead(302, { location: elsewhere }).end();
    expect(await installFrom(runner, { about: redirect })).toMatchObject({ status: "failed" });
    expect(await installFrom(runner, { fetched: redirect })).toMatchObject({ status: "failed" });
    expect(asked).toEqual([]);
  });

  test("cannot deliver other bytes than it announced", async () => {
    const other = tar([...good, { name: "package/more.js", data: "1" }]);
    expect(await installFrom(runner, { fetched: (res) => res.end(other) })).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/integrity|EINTEGRITY/i),
    });
  });

  test("fails the installation if it answers with a decompression bomb", async () => {
    const blank = Buffer.alloc(64 * 1024 * 1024, " ");
    const bomb = Buffer.concat(Array.from({ length: 16 }, () => gzipSync(blank)));
    const about = (res: ServerResponse) =>
      res.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(bomb);
    const { status } = await installFrom(runner, { about });
    expect(status).toBe("failed");
    expect(readdirSync(runner.root)).toEqual([runner.notebookId]);
  });
});
