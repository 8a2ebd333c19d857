import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { createTakeBack } from "./take-back.ts";

type Entry = { name: string; text?: string; kind?: string; link?: string; size?: number };

function archiveOf(entries: readonly Entry[], end = true): Buffer {
  const blocks = entries.flatMap(({ name, text = "", kind = "0", link = "", size }) => {
    const header = Buffer.alloc(512);
    header.write(name.slice(0, 100), 0);
    header.write((size ?? Buffer.byteLength(text)).toString(8).padStart(11, "0"), 124);
    header.write(kind, 156);
    header.write(link, 157);
    const body = Buffer.alloc(Math.ceil(Buffer.byteLength(text) / 512) * 512);
    body.write(text);
    return [header, body];
  });
  return Buffer.concat([...blocks, Buffer.alloc(end ? 1024 : 0)]);
}

async function takeBack(archive: Buffer, isWanted = true) {
  const directory = mkdtempSync(join(tmpdir(), "thoughtbox-archive-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, "files"));
  writeFileSync(join(directory, "files", "before"), "before");
  const back = createTakeBack(directory, { folder: "files", bytes: 4_096, entries: 5 });
  // The archive arrives in chunks of arbitrary size.
  const pieces = Array.from({ length: Math.ceil(archive.length / 100) }, (_, at) =>
    archive.subarray(at * 100, at * 100 + 100),
  );
  await back.receive(Readable.from(pieces));
  const arrival = await back.finish(isWanted);
  const files = join(directory, "files");
  const found = readdirSync(files, { recursive: true, encoding: "utf8" }).sort();
  return { arrival, found, read: (name: string) => readFileSync(join(files, name), "utf8"), directory };
}

test("replaces the files and folders with the new ones", async () => {
  const long = `deep/${"n".repeat(120)}`;
  const { arrival, found, read, directory } = await takeBack(
    archiveOf([
      { name: "./", kind: "5" },
      { name: "./deep/", kind: "5" },
      { name: "././@LongLink", kind: "L", text: `./${long}\0` },
      { name: `./${long}`, text: "x".repeat(1_000) },
    ]),
  );
  expect(arrival).toBe("whole");
  expect(found).toEqual(["deep", long]);
  expect(read(long)).toBe("x".repeat(1_000));
  expect(readdirSync(directory)).toEqual(["files"]);
});

test("skips entries that point outside, or keeps them inside", async () => {
  const { arrival, found, directory } = await takeBack(
    archiveOf([
      { name: "../escaped", text: "x" },
      { name: "a/../../escaped", text: "x" },
      { name: "link", kind: "2", link: "/etc" },
      { name: "link/passwd", text: "x" },
      { name: "/absolute", text: "x" },
    ]),
  );
  expect(arrival).toBe("whole");
  expect(found).toEqual(["absolute", "link", "link/passwd"]);
  expect(lstatSync(join(directory, "files", "link")).isDirectory()).toBe(true);
  expect(readdirSync(directory)).toEqual(["files"]);
});

test.each<[string, Buffer, string]>([
  ["too many bytes", archiveOf([{ name: "a", text: "x".repeat(5_000) }]), "too much"],
  ["a false size", archiveOf([{ name: "a", size: 2 ** 32 }]), "too much"],
  ["too many entries", archiveOf(Array.from({ length: 9 }, (_, at) => ({ name: `f${at}` }))), "too much"],
  ["no end", archiveOf([{ name: "a", text: "x" }], false), "broken"],
  ["half a file", archiveOf([{ name: "a", text: "x".repeat(900) }]).subarray(0, 700), "broken"],
  ["the same name twice", archiveOf([{ name: "a" }, { name: "a" }]), "broken"],
  ["a name that is too long", archiveOf([{ name: "@LongLink", kind: "L", size: 1_000_000 }]), "broken"],
  ["noise", Buffer.alloc(2_048, "noise"), "broken"],
  ["nothing", Buffer.alloc(0), "broken"],
])("an archive with %s changes nothing", async (_what, archive, expected) => {
  const { arrival, found, read, directory } = await takeBack(archive);
  expect(arrival).toBe(expected);
  expect(found).toEqual(["before"]);
  expect(read("before")).toBe("before");
  expect(readdirSync(directory)).toEqual(["files"]);
});

test("an archive that is not wanted changes nothing", async () => {
  expect((await takeBack(archiveOf([{ name: "a", text: "x" }]), false)).found).toEqual(["before"]);
});
