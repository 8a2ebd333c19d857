import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type CliOptions, runCommand } from "../support/cli.ts";
import { openRaw } from "../support/disk/raw-database.ts";
import { mountSmallDisk, noSmallDisk } from "../support/disk/small-disk.ts";
import { tempDir } from "../support/temp-dir.ts";
import { filesBelow } from "../support/views/tree.ts";
import { loginSession, prepareStore } from "./prepared-store.ts";

const env = { PORT: "0" };

async function examine(options: CliOptions, flags = "") {
  const { code, out, err } = await runCommand(`doctor ${flags} --json`, { env, ...options });
  expect(err).toBe("");
  const { checks, repaired, reindexed } = JSON.parse(out);
  const states: any = Object.fromEntries(checks.map(({ name, state }: any) => [name, state]));
  return { code, checks, states, repaired, reindexed };
}

/** Removes entries from the indexes but keeps the texts. */
const damage = `
  INSERT INTO text_words (text_words, rowid, place, text)
    SELECT 'delete', seq, 's' || sid, thought FROM thoughts WHERE thought LIKE '%resolver%';
  DELETE FROM session_words;
  DELETE FROM note_words`;

const sessionFile = (dataDir: string, name: string): string => {
  const found = filesBelow(dataDir).find(
    (path) => path.includes(loginSession) && path.endsWith(`${loginSession}/${name}`),
  );
  return join(dataDir, found ?? name);
};

describe("doctor", () => {
  test("finds nothing wrong with a healthy store", async () => {
    const dataDir = await prepareStore();
    const { code, states } = await examine({ dataDir });
    expect(code).toBe(0);
    expect(readdirSync(dataDir).filter((name) => name.includes("probe"))).toEqual([]);
    expect(states).toEqual({
      ...{ node: "good", settings: "good", data: "good", driver: "good", store: "good", search: "good" },
      ...{
        files: "good",
        sessions: "good",
        memory: "none",
        notebooks: "none",
        port: "good",
        sandbox: expect.stringMatching(/^(?:good|look)$/),
        clients: "none",
      },
    });
  });

  test("does not create a data directory", async () => {
    const dataDir = join(tempDir(), "data");
    const { code, states } = await examine({ dataDir });
    expect(code).toBe(0);
    expect(states.data).toBe("none");
    expect(existsSync(dataDir)).toBe(false);
  });

  test("finds a damaged tree, which --repair fixes without deleting files", async () => {
    const dataDir = await prepareStore();
    const [changed, lost] = [sessionFile(dataDir, "001.json"), sessionFile(dataDir, "002.json")];
    writeFileSync(changed, '{"thought":"forged"}');
    rmSync(lost);
    const before = await examine({ dataDir });
    expect(before.code).toBe(1);
    expect(before.states.sessions).toBe("bad");
    expect(before.checks.find(({ name }: any) => name === "sessions").next).toContain("doctor --repair");

    const { code, states, repaired } = await examine({ dataDir }, "--repair");
    expect(code).toBe(0);
    expect(states.sessions).toBe("good");
    expect(repaired.repaired).toEqual([loginSession]);
    expect(repaired.quarantined).toHaveLength(1);
    expect(filesBelow(join(dataDir, "quarantine"))).toHaveLength(1);
    expect((await runCommand("verify --all", { dataDir })).code).toBe(0);
  });

  test("verify names a changed session and exits with 1", async () => {
    const dataDir = await prepareStore();
    const db = openRaw(dataDir);
    db.exec("UPDATE thoughts SET thought = 'forged' WHERE thought LIKE '%resolver restarts%'");
    db.close();
    const { code, out } = await runCommand("verify", { dataDir });
    expect(code).toBe(1);
    expect(out).toContain("✗ 5e551011  Why do logins time out?");
    expect(out).toMatch(/changed\s+after it was recorded/);
    expect(out).toContain("Changed or damaged: 1 of 2 sessions.");
  });

  test("finds a damaged search index, and --reindex rebuilds it", async () => {
    const dataDir = await prepareStore();
    const found = async () => JSON.parse((await runCommand("search resolver --json", { dataDir })).out).count;
    const whole = await found();
    expect(whole).toBeGreaterThan(0);
    const db = openRaw(dataDir);
    db.exec(damage);
    db.close();
    expect((await examine({ dataDir })).states.search).toBe("bad");

    const { code, states, reindexed } = await examine({ dataDir }, "--reindex");
    expect(code).toBe(0);
    expect(states.search).toBe("good");
    expect(reindexed).toEqual({ thoughts: 9, nodes: 0 });
    expect(await found()).toBe(whole);
    expect(JSON.parse((await runCommand("ls --search migration --json", { dataDir })).out).total).toBe(1);
    expect(
      JSON.parse((await runCommand("knowledge --search pool --json", { dataDir })).out).patterns,
    ).toHaveLength(1);
  });

  test("explains what a damaged store needs", async () => {
    const dataDir = await prepareStore();
    for (const end of ["-wal", "-shm"]) rmSync(join(dataDir, `thoughtbox.db${end}`), { force: true });
    writeFileSync(
      join(dataDir, "thoughtbox.db"),
      "this is no database, and long enough to be looked at as one".repeat(40),
    );
    const { code, checks } = await examine({ dataDir });
    expect(code).toBe(1);
    expect(checks.find(({ name }: any) => name === "store")).toMatchObject({
      state: "bad",
      says: expect.stringContaining("not a Thoughtbox database"),
    });
  });

  test("names unknown variables and unknown members of config.json", async () => {
    const dataDir = await prepareStore();
    writeFileSync(join(dataDir, "config.json"), '{"secretz":"redact","project":"shop"}');
    const { code, checks } = await examine({ dataDir, env: { ...env, THOUGHTBOX_PROJEKT: "shop" } });
    expect(code).toBe(0);
    expect(checks.find(({ name }: any) => name === "settings")).toMatchObject({
      state: "look",
      says: expect.stringMatching(/THOUGHTBOX_PROJEKT.*THOUGHTBOX_PROJECT.*"secretz".*secrets/),
      next: "thoughtbox config",
    });
  });

  test.skipIf(process.platform !== "linux")(
    "reports a home directory that cannot contain the data directory",
    async () => {
      const { code, checks } = await examine({ dataDir: "/proc/nobody/.thoughtbox", directory: tempDir() });
      expect(code).toBe(1);
      expect(checks.find(({ name }: any) => name === "data")).toMatchObject({
        state: "bad",
        says: "/proc/nobody/.thoughtbox does not exist and cannot be created (ENOENT)",
        next: expect.stringContaining("THOUGHTBOX_DATA_DIR"),
      });
    },
  );

  test.skipIf(noSmallDisk)("reports a data directory that is not writable", async () => {
    const disk = mountSmallDisk(16);
    mkdirSync(disk.dataDir, { recursive: true, mode: 0o700 });
    disk.makeReadOnly();
    const { code, checks } = await examine({ dataDir: disk.dataDir });
    expect(code).toBe(1);
    expect(checks.find(({ name }: any) => name === "data")).toMatchObject({
      state: "bad",
      says: `${disk.dataDir} is not writable (EROFS). You can still read records`,
      next: expect.stringContaining("Mount"),
    });
  });

  test("reports an old Node.js, an open directory, a link, a port in use and an invalid setting", async () => {
    const dataDir = await prepareStore();
    expect((await examine({ dataDir, nodeVersion: "v18.0.0" })).states.node).toBe("bad");
    chmodSync(dataDir, 0o755);
    expect((await examine({ dataDir })).states.data).toBe("look");
    const link = join(tempDir(), "link");
    symlinkSync(dataDir, link);
    expect((await examine({ dataDir: link })).states).toMatchObject({ data: "bad" });
    const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const taken = String((server.address() as { port: number }).port);
    expect((await examine({ dataDir, env: { PORT: taken } })).states.port).toBe("look");
    const bad = await examine({ dataDir, env: { THOUGHTBOX_SECRETS: "maybe" } });
    expect(bad.states.settings).toBe("bad");
    expect(bad.code).toBe(1);
  });
});
