import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { runCommand } from "../support/cli.ts";
import { allEntries, openLedger, verifyChain } from "../support/ledger.ts";
import { binary, cleanEnv, nowhere } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { filesBelow, ledgerContents, rightsOf } from "../support/views/tree.ts";
import { later, loginSession, prepareStore } from "./prepared-store.ts";

const contentsOf = (directory: string) =>
  ledgerContents(openLedger("fs", { directory, clock: () => new Date(later) }));

describe("backup", () => {
  test("the copy is private and is a complete store", async () => {
    const dataDir = await prepareStore();
    const file = join(tempDir(), "copy.db");
    const { code, out, err } = await runCommand(["backup", file], { dataDir });
    expect(code, err).toBe(0);
    expect(out).toContain("2 sessions, 9 thoughts");
    expect(rightsOf(file)).toBe("600");
    expect(await contentsOf(openCopy(file))).toEqual(await contentsOf(dataDir));
    const searched = await runCommand("search resolver --json", { dataDir: openCopy(file) });
    expect(JSON.parse(searched.out).count).toBeGreaterThan(0);
  });

  test("a copy that is restored as documented has no problems, and its files are written again", async () => {
    const dataDir = await prepareStore();
    const file = join(tempDir(), "copy.db");
    await runCommand(["backup", file], { dataDir });
    const copy = createSqliteStore({ kind: "directory", path: openCopy(file) }, () => new Date(later));
    onTestFinished(() => copy.close());
    expect(await copy.projection.readMarks()).toMatchObject({ projected: 0, durable: 0, lease: undefined });
    const restored = openCopy(file);
    const { code, out } = await runCommand("doctor", { dataDir: restored });
    expect(code, out).toBe(0);
    expect(out).toContain("✓ sessions");
    expect(filesBelow(join(restored, "projects"))).toEqual(filesBelow(join(dataDir, "projects")));
  });

  test("a database that is copied without its files writes them again", async () => {
    const dataDir = await prepareStore();
    const copied = join(tempDir(), "copied");
    cpSync(dataDir, copied, { recursive: true, filter: (path) => path !== join(dataDir, "projects") });
    const { code, out } = await runCommand("verify --all", { dataDir: copied });
    expect(code, out).toBe(0);
    expect(out).toContain("2 sessions");
    expect(filesBelow(join(copied, "projects"))).toEqual(filesBelow(join(dataDir, "projects")));
  });

  test("never overwrites", async () => {
    const dataDir = await prepareStore();
    const file = join(tempDir(), "copy.db");
    writeFileSync(file, "mine");
    const { code, err } = await runCommand(["backup", file], { dataDir });
    expect(code).toBe(1);
    expect(err).toMatch(/The file ".+" already exists/);
    expect(readFileSync(file, "utf8")).toBe("mine");
  });

  test("contains everything that another process acknowledged before the backup started", async () => {
    const dataDir = join(tempDir(), "data");
    const writer = spawnWriter(dataDir);
    await writer.reached(200);
    for (let round = 0; round < 3; round += 1) {
      const file = join(tempDir(), "copy.db");
      const before = writer.acknowledged();
      const { code, err } = await runCommand(["backup", file], { dataDir });
      expect(code, err).toBe(0);
      const copy = createSqliteStore({ kind: "directory", path: openCopy(file) }, () => new Date());
      onTestFinished(() => copy.close());
      const [sessionId = ""] = Object.keys(await ledgerContents(copy.ledger));
      expect(await verifyChain(copy.ledger, sessionId)).toBeGreaterThanOrEqual(before);
      const texts = new Set((await allEntries(copy.ledger, sessionId)).map(({ data }) => data.thought));
      for (let n = 1; n <= before; n += 1) expect(texts.has(`thought ${n}`)).toBe(true);
      await writer.reached(writer.acknowledged() + 50);
    }
  });
});

/** Records thoughts without a pause through the binary on stdio, and counts the acknowledged ones. */
function spawnWriter(dataDir: string) {
  const child = spawn(process.execPath, [binary, "stdio"], {
    cwd: nowhere,
    env: {
      ...{ ...cleanEnv(), DISABLE_THOUGHT_LOGGING: "true", THOUGHTBOX_DATA_DIR: dataDir },
      THOUGHTBOX_DISCLOSURE: "open",
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => {});
  let acknowledged = 0;
  let waiting: { count: number; resolve: () => void } | undefined;
  const send = (id: number, method: string, params: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  const think = () =>
    send(acknowledged + 1, "tools/call", {
      name: "thoughtbox_gateway",
      arguments: { operation: "thought", thought: `thought ${acknowledged + 1}` },
    });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, result } = JSON.parse(line);
    if (id === 0) child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    else if (result?.structuredContent?.thoughtNumber !== undefined) acknowledged += 1;
    else if (id !== undefined) throw new Error(line);
    if (id !== undefined) think();
    if (waiting && acknowledged >= waiting.count) waiting.resolve();
  });
  const clientInfo = { name: "writer", version: "1" };
  send(0, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  const ended = once(child, "exit").then(() => {
    throw new Error("the writer ended");
  });
  ended.catch(() => {});
  return {
    acknowledged: () => acknowledged,
    reached: (count: number) =>
      Promise.race([ended, new Promise<void>((resolve) => (waiting = { count, resolve }))]),
  };
}

/** Turns a backup into a data directory by copying it into one. */
function openCopy(file: string): string {
  const directory = join(tempDir(), "restored");
  mkdirSync(directory, { mode: 0o700 });
  writeFileSync(join(directory, "thoughtbox.db"), readFileSync(file), { mode: 0o600 });
  return directory;
}

describe("dump and restore", () => {
  test("skips lines with deep nesting, with invalid names and with invalid numbers", async () => {
    const file = join(tempDir(), "hostile.jsonl");
    const at = "2026-11-15T12:00:00.000Z";
    const session = {
      id: loginSession,
      project: "_default",
      title: "A",
      tags: [],
      thoughtCount: 0,
      branchCount: 0,
    };
    const times = { createdAt: at, updatedAt: at, lastAccessedAt: at, status: "active" };
    const note = {
      title: "t",
      description: "d",
      tags: [],
      content: "c",
      derivedFromSessions: [],
      createdAt: at,
    };
    const deep = `{"thought":{"thought":${"[".repeat(50_000)}${"]".repeat(50_000)}}}`;
    const lines = [
      { format: "thoughtbox-dump-2", createdAt: at },
      { session: { session: { ...session, ...times }, state: { stage: 1, navigation: {} } } },
      deep,
      { note: { ...note, id: "../../escape", kind: "pattern", updatedAt: at }, project: "_default" },
      { note: { ...note, id: "fine", kind: "pattern", updatedAt: at }, project: "../up" },
      { commit: { workspace: "acme/repo", seq: Number.MAX_SAFE_INTEGER } },
      { end: { sessions: 1, thoughts: 0, notes: 0 } },
    ];
    writeFileSync(
      file,
      lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""),
    );
    const dataDir = join(tempDir(), "data");
    const { out, err } = await runCommand(["restore", file, "--json"], { dataDir });
    expect(err).toBe("");
    const { badLines, imported } = JSON.parse(out);
    expect(badLines.map(({ line }: { line: number }) => line)).toEqual([3, 4, 5, 6]);
    expect(imported).toBe(1);
  });

  test("lists the first lines that are not part of a dump and counts the rest", async () => {
    const file = join(tempDir(), "bad.jsonl");
    const head = '{"format":"thoughtbox-dump-2","createdAt":"2026-11-15T12:00:00.000Z"}';
    const end = '{"end":{"sessions":0,"thoughts":0,"notes":0}}\n';
    writeFileSync(file, [head, ...Array.from({ length: 5_000 }, () => "bad"), end].join("\n"));
    const dataDir = join(tempDir(), "data");
    const shown = await runCommand(["restore", file, "--json"], { dataDir });
    const { badLines, moreBadLines } = JSON.parse(shown.out);
    expect([badLines.length, badLines[0].line, moreBadLines]).toEqual([100, 2, 4_900]);
    const { code, out } = await runCommand(["restore", file], { dataDir });
    expect(code).toBe(1);
    expect(out).toContain("and 4,990 others. --json lists the first 100");
  });

  test("refuses a sparse file in one sentence, without reading it to the end", async () => {
    const file = join(tempDir(), "sparse.jsonl");
    const end = '\n{"end":{"sessions":0,"thoughts":0,"notes":0}}\n';
    writeFileSync(file, '{"format":"thoughtbox-dump-2","createdAt":"2026-11-15T12:00:00.000Z"}\n');
    truncateSync(file, 2 ** 40);
    writeFileSync(file, end, { flag: "a" });
    const { code, err } = await runCommand(["restore", file], { dataDir: join(tempDir(), "data") });
    expect(code).not.toBe(0);
    expect(err).toContain("Line 2");
    expect(err).toContain("longer than any line that Thoughtbox writes");
  });

  test("restores everything with the same hashes", async () => {
    const dataDir = await prepareStore();
    const store = createSqliteStore({ kind: "directory", path: dataDir }, () => new Date(later));
    await store.ledger.attachCritique({
      ...{ sessionId: loginSession, address: { thoughtNumber: 2 }, text: "Which pool?", model: "critic-1" },
      ...{ timestamp: later, salt: "salt" },
    });
    await store.close();
    const file = join(tempDir(), "all.jsonl");
    const dumped = await runCommand(["dump", file], { dataDir });
    expect(dumped.code, dumped.err).toBe(0);
    expect(rightsOf(file)).toBe("600");

    const other = join(tempDir(), "data");
    const restored = await runCommand(["restore", file], { dataDir: other });
    expect(restored.code, restored.err).toBe(0);
    expect(restored.out).toContain("2 new");
    expect(await contentsOf(other)).toEqual(await contentsOf(dataDir));
    const notes = async (directory: string) =>
      (await runCommand("knowledge --json", { dataDir: directory })).out;
    expect(await notes(other)).toBe(await notes(dataDir));
    expect((await runCommand("verify --all", { dataDir: other })).code).toBe(0);

    const again = join(tempDir(), "again.jsonl");
    await runCommand(["dump", again], { dataDir: other });
    const lines = (path: string) => readFileSync(path, "utf8").split("\n").slice(1);
    expect(lines(again)).toEqual(lines(file));
  });

  test("refuses a pipe without waiting for it", async () => {
    const pipe = join(tempDir(), "pipe");
    execFileSync("mkfifo", [pipe]);
    const { code, err } = await runCommand(["restore", pipe], { dataDir: join(tempDir(), "data") });
    expect(code).not.toBe(0);
    expect(err).toContain("cannot be read (no file)");
  });

  test("a restore can be run again, and a dump never overwrites a file", async () => {
    const dataDir = await prepareStore();
    const file = join(tempDir(), "all.jsonl");
    await runCommand(["dump", file], { dataDir });
    const restored = await runCommand(["restore", file], { dataDir });
    expect(restored).toMatchObject({ code: 0, out: expect.stringContaining("2 already there") });
    const dumped = await runCommand(["dump", file], { dataDir });
    expect(dumped).toMatchObject({ code: 1, err: expect.stringContaining("already") });
  });

  test("refuses a session that differs from the stored one, and reports it", async () => {
    const dataDir = await prepareStore();
    const file = join(tempDir(), "all.jsonl");
    await runCommand(["dump", file], { dataDir });
    const other = join(tempDir(), "data");
    const store = createSqliteStore({ kind: "directory", path: other }, () => new Date(later));
    await store.ledger.createSession({
      ...{ id: loginSession, project: "_default", title: "Another", tags: [], createdAt: later },
      state: { stage: 2, navigation: {} },
    });
    await store.ledger.append({
      draft: { sessionId: loginSession, thought: "something else", nextThoughtNeeded: true },
      ...{ timestamp: later, salt: "salt" },
    });
    await store.close();
    const { code, out } = await runCommand(["restore", file], { dataDir: other });
    expect(code).toBe(1);
    expect(out).toContain("1 refused");
    expect(out).toContain(loginSession);
    const read = await runCommand(["read", loginSession, "1"], { dataDir: other });
    expect(read.out).toContain("something else");
  });

  test("reports a dump that was truncated or changed", async () => {
    const dataDir = await prepareStore();
    const file = join(tempDir(), "all.jsonl");
    await runCommand(["dump", file], { dataDir });
    const text = readFileSync(file, "utf8");
    const cutShort = join(tempDir(), "cut.jsonl");
    writeFileSync(cutShort, text.slice(0, -40));
    const cut = await runCommand(["restore", cutShort], { dataDir: join(tempDir(), "data") });
    expect(cut).toMatchObject({ code: 1, err: expect.stringContaining("is incomplete") });
    const changed = join(tempDir(), "changed.jsonl");
    writeFileSync(changed, text.replace("Pin the resolver", "Pin the balancer"));
    const { code, out } = await runCommand(["restore", changed], { dataDir: join(tempDir(), "data") });
    expect(code).toBe(1);
    expect(out).toMatch(/line \d+ was changed after it was recorded/);
  });
});

describe("export and import", () => {
  test("export refuses to overwrite a file with the name", async () => {
    const directory = tempDir();
    writeFileSync(join(directory, "mine.txt"), "mine");
    const { code, err } = await runCommand("export latest --format markdown --to mine.txt", {
      ...{ dataDir: await prepareStore(), directory },
    });
    expect(code).not.toBe(0);
    expect(err).toMatch(/^thoughtbox: A file with this name already exists.*\n {2}Choose another name/);
    expect(readFileSync(join(directory, "mine.txt"), "utf8")).toBe("mine");
  });

  test("import restores a JSON export unchanged", async () => {
    const dataDir = await prepareStore();
    const directory = tempDir();
    const exported = await runCommand("export latest --to session.json", { dataDir, directory });
    expect(exported.code, exported.err).toBe(0);
    const other = join(tempDir(), "data");
    const imported = await runCommand("import session.json", { dataDir: other, directory });
    expect(imported.code, imported.err).toBe(0);
    expect(imported.out).toContain("Imported 8 thoughts");
    const [before, after] = await Promise.all(
      [dataDir, other].map(async (from) =>
        JSON.parse((await runCommand("export latest", { dataDir: from })).out),
      ),
    );
    expect(after.nodes).toEqual(before.nodes);
    expect(after.integrity).toEqual(before.integrity);
  });

  test("import and restore recognise each other's files and name the right command", async () => {
    const dataDir = await prepareStore();
    const directory = tempDir();
    for (const line of ["dump all.jsonl", "backup copy.db", "export latest --to session.json"])
      expect((await runCommand(line, { dataDir, directory })).code).toBe(0);
    const said = async (line: string) => {
      const { code, err } = await runCommand(line, { dataDir, directory });
      expect(code).toBe(1);
      return err.replaceAll(/\s+/g, " ");
    };
    expect(await said("import all.jsonl")).toContain('"all.jsonl" is a dump. thoughtbox restore all.jsonl');
    expect(await said("import copy.db")).toMatch(/"copy.db" is a backup.*Save it as thoughtbox.db.*restore/);
    expect(await said("restore copy.db")).toMatch(/"copy.db" is a backup.*Save it as thoughtbox.db/);
    expect(await said("restore session.json")).toContain(
      '"session.json" is an exported session. thoughtbox import session.json',
    );
    expect(await said("restore .")).toContain('"." is a directory. thoughtbox import .');
  });

  test("import restores the same ledger from a tree of JSON files", async () => {
    const dataDir = await prepareStore();
    const other = join(tempDir(), "data");
    const { code, out, err } = await runCommand(["import", dataDir], { dataDir: other });
    expect(code, err).toBe(0);
    expect(out).toContain("2 sessions: 2 new. 9 thoughts added.");
    expect(await contentsOf(other)).toEqual(await contentsOf(dataDir));
  });

  test("export writes a large session to stdout in full", async () => {
    const dataDir = join(tempDir(), "data");
    for (let n = 0; n < 3; n += 1) {
      const typed = [
        "call",
        "thought",
        `thought=${"x".repeat(40_000)}`,
        n > 0 ? `sessionId=${await latest()}` : "sessionTitle=Large",
      ];
      expect((await runCommand(typed, { dataDir })).code).toBe(0);
    }
    const { out } = await runCommand("export latest", { dataDir });
    expect(JSON.parse(out).nodes).toHaveLength(3);

    async function latest(): Promise<string> {
      return JSON.parse((await runCommand("ls --json", { dataDir })).out).sessions[0].id;
    }
  });
});

test("progress is drawn only on stderr, and only in a terminal", async () => {
  const dataDir = await prepareStore();
  const other = join(tempDir(), "data");
  const seen = await runCommand(["import", dataDir], { dataDir: other, errorIsTerminal: true });
  expect(seen.err).toMatch(/importing sessions {2}[█░]+ {2}\d of 2/);
  expect(seen.out).not.toContain("█");
  renameSync(other, `${other}-old`);
  const unseen = await runCommand(["import", dataDir], { dataDir: other });
  expect(unseen.err).toBe("");
});
