import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../support/cli.ts";
import { binary, cleanEnv } from "../../support/server-process.ts";
import { connect, createDatabase, databaseUrl, hasPostgres } from "../../support/stores/postgres-server.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { prepareMemory, workspace } from "../prepared-memory.ts";
import { loginSession, planSession } from "../prepared-store.ts";

/** Returns settings with a new tenant, which is empty like a new directory. */
const shared = (tenant = `t-${randomUUID().slice(0, 8)}`) => ({
  PORT: "0",
  DATABASE_URL: databaseUrl(),
  THOUGHTBOX_TENANT: tenant,
  THOUGHTBOX_PROJECT_GUARD: "acme",
});

type Options = Parameters<typeof runCommand>[1];

async function call(options: Options, name: string, args: Record<string, unknown> = {}) {
  const words = Object.entries(args).map(([key, value]) => `${key}=${value}`);
  const { code, out, err } = await runCommand(["call", name, ...words, "--json"], options);
  expect(code, err).toBe(0);
  return JSON.parse(out);
}

/** Stores one of everything: sessions, one of them in the trash, critiques, knowledge, memory, a notebook. */
async function prepareEverything(env: Record<string, string>): Promise<string> {
  const dataDir = await prepareMemory();
  const here = { dataDir, env: { ...env, THOUGHTBOX_STORAGE: "fs" } };
  const { notebookId } = await call(here, "notebook.create", { name: "Rounding" });
  const { cellId } = await call(here, "notebook.add_cell", { notebookId, type: "markdown", text: "first" });
  await call(here, "notebook.update_cell", { notebookId, cellId, content: "second" });
  const removed = await runCommand(["rm", planSession], here);
  expect(removed.code, removed.err).toBe(0);
  return dataDir;
}

/** Reads the sessions without the time of the last read, which a move does not copy. */
const read = async (options: Options) => ({
  sessions: (await call(options, "list_sessions")).sessions.map(
    ({ lastAccessedAt: _read, ...session }: Record<string, unknown>) => session,
  ),
  thoughts: await call(options, "read_thoughts", { sessionId: loginSession }),
  branches: await call(options, "branch_list", { workspace }),
  trash: (await runCommand("trash --json", options)).out,
});

describe.runIf(hasPostgres)("moving a store", () => {
  test("copies everything to PostgreSQL and back into another directory, and verifies both copies", async () => {
    const env = shared();
    const dataDir = await prepareEverything(env);
    const there = await runCommand("move --to postgres", { dataDir, env });
    expect(there.code, there.out + there.err).toBe(0);
    expect(there.out.replace(/\s+/g, " ")).toMatch(
      /PostgreSQL has everything: 2 sessions, 9 thoughts, 2 knowledge notes, 1 notebook/,
    );
    const onPostgres = { dataDir: join(tempDir(), "none"), env: { ...env, THOUGHTBOX_STORAGE: "postgres" } };
    const onDisk = { dataDir, env: { ...env, THOUGHTBOX_STORAGE: "fs" } };
    expect((await read(onPostgres)).thoughts).toEqual((await read(onDisk)).thoughts);
    expect((await read(onPostgres)).branches).toEqual((await read(onDisk)).branches);

    const other = join(tempDir(), "data");
    const back = await runCommand("move --to fs --json", { dataDir: other, env });
    expect(back.code, back.out + back.err).toBe(0);
    expect(JSON.parse(back.out)).toMatchObject({ isDone: true, missing: [], differing: [] });
    expect(await read({ dataDir: other, env: onDisk.env })).toEqual(await read(onDisk));
    const verified = await runCommand("verify --all", { dataDir: other, env: onDisk.env });
    expect(verified.code, verified.out).toBe(0);
    for (const directory of [dataDir, other]) expect(readdirSync(directory)).not.toContain("move.jsonl");
  });

  test("only compares with --check, and creates no tables", async () => {
    const DATABASE_URL = createDatabase(`fresh_${randomUUID().slice(0, 8)}`);
    const env = { PORT: "0", DATABASE_URL };
    const dataDir = await prepareEverything(env);
    const checked = await runCommand("move --to postgres --check --json", { dataDir, env });
    expect(checked.code, checked.err).toBe(0);
    const report = JSON.parse(checked.out);
    expect(report).toMatchObject({ counts: { sessions: 2, thoughts: 9 }, same: 0, differing: [] });
    expect(report.missing).toContain(`session ${planSession}`);
    expect(report.missing).toContain(`workspace ${workspace}`);
    const client = await connect(DATABASE_URL);
    const { rows } = await client.query("SELECT to_regnamespace('thoughtbox') IS NULL AS untouched");
    await client.end();
    expect(rows).toEqual([{ untouched: true }]);
  });

  test("moves what was added since the last time, and reports obstacles", async () => {
    const env = shared();
    const dataDir = await prepareEverything(env);
    const onDisk = { dataDir, env: { ...env, THOUGHTBOX_STORAGE: "fs" } };
    await runCommand("move --to postgres", { dataDir, env });
    await call(onDisk, "thought", { sessionId: loginSession, thought: "one more" });
    const again = await runCommand("move --to postgres --json", { dataDir, env });
    expect(JSON.parse(again.out)).toMatchObject({ isDone: true });
    const onPostgres = { dataDir, env: { ...env, THOUGHTBOX_STORAGE: "postgres" } };
    await call(onPostgres, "notes_commit", { workspace, content: "written there" });
    await call(onDisk, "notes_commit", { workspace, content: "written here" });
    const refused = await runCommand("move --to postgres", { dataDir, env });
    expect(refused.code).toBe(1);
    expect(refused.out).toContain(`workspace ${workspace}`);
    expect(refused.out).toContain("the same names but different contents");
  });

  test("recognises what has other numbers in a store that was not empty", async () => {
    const env = shared();
    const dataDir = await prepareEverything(env);
    const onDisk = { dataDir, env: { ...env, THOUGHTBOX_STORAGE: "fs" } };
    const card = { type: "hypothesis", title: "The pool is too small" };
    await call(onDisk, "think_card", { workspace, agent_id: "ada", card });
    const onPostgres = { dataDir: join(tempDir(), "none"), env: { ...env, THOUGHTBOX_STORAGE: "postgres" } };
    for (const thought of ["here", "before"]) await call(onPostgres, "thought", { thought });
    const moved = await runCommand("move --to postgres --json", { dataDir, env });
    expect(JSON.parse(moved.out)).toMatchObject({ isDone: true, missing: [], differing: [] });
  });

  test("continues after it was killed", async () => {
    const env = shared();
    const dataDir = await prepareEverything(env);
    const onDisk = { dataDir, env: { ...env, THOUGHTBOX_STORAGE: "fs" } };
    const thoughts = Array.from({ length: 40 }, (_, n) => `thought ${n} ${"x".repeat(2_000)}`);
    for (const thought of thoughts) await call(onDisk, "thought", { sessionId: loginSession, thought });
    const child = spawn(process.execPath, [binary, "move", "--to", "postgres"], {
      env: { ...cleanEnv(), ...env, THOUGHTBOX_DATA_DIR: dataDir },
      stdio: "ignore",
    });
    const client = await connect(env.DATABASE_URL);
    const arrived = async () => {
      const { rows } = await client
        .query(`SELECT count(*)::int AS n FROM thoughtbox.sessions WHERE tenant = '${env.THOUGHTBOX_TENANT}'`)
        .catch(() => ({ rows: [{ n: 0 }] }));
      return Number(rows[0]?.["n"]) > 0;
    };
    const ended = once(child, "exit");
    while (child.exitCode === null && !(await arrived()));
    child.kill("SIGKILL");
    await ended;
    await client.end();
    const again = await runCommand("move --to postgres --json", { dataDir, env });
    expect(again.code, again.out + again.err).toBe(0);
    expect(JSON.parse(again.out)).toMatchObject({ isDone: true, missing: [], differing: [] });
    expect(existsSync(join(dataDir, "move.jsonl"))).toBe(false);
  });

  test("refuses to run without --to or without a database", async () => {
    const dataDir = await prepareMemory();
    expect(await runCommand("move", { dataDir, env: {} })).toMatchObject({
      code: 1,
      err: expect.stringContaining("--to postgres"),
    });
    const { code, err } = await runCommand("move --to postgres", { dataDir, env: {} });
    expect(code).toBe(1);
    expect(err).toContain("DATABASE_URL");
  });
});

describe.runIf(hasPostgres)("bringing a schema up to date", () => {
  test("a role without rights on tables is served only after the owner has migrated", async () => {
    const DATABASE_URL = createDatabase(`roles_${randomUUID().slice(0, 8)}`);
    const owner = await connect(DATABASE_URL);
    const role = `runtime_${randomUUID().slice(0, 8)}`;
    await owner.query(`CREATE ROLE ${role} LOGIN`);
    await owner.query(`GRANT ${role} TO CURRENT_USER`);
    await owner.end();
    const dataDir = join(tempDir(), "none");
    const env = { PORT: "0", THOUGHTBOX_STORAGE: "postgres", DATABASE_URL };
    const asRole = { ...env, DATABASE_URL: DATABASE_URL.replace("thoughtbox@", `${role}@`) };
    const early = await runCommand("ls", { dataDir, env: asRole });
    expect(early.code).toBe(1);
    expect(early.err).toContain("thoughtbox migrate");

    const check = await runCommand("migrate --check", { dataDir, env });
    expect(check).toMatchObject({ code: 1, out: expect.stringContaining("schema 0") });
    const migrated = await runCommand(["migrate", "--grant", role], { dataDir, env });
    expect(migrated.code, migrated.err).toBe(0);
    expect(migrated.out).toContain(`The role ${role} may read and write.`);
    expect(await runCommand("migrate --check", { dataDir, env })).toMatchObject({
      code: 0,
      out: expect.stringContaining("up to date"),
    });
    await call({ dataDir, env: asRole }, "thought", { thought: "by the runtime role" });
  });
});

test("a store on disk is up to date after it was opened, and --check creates none", async () => {
  const dataDir = join(tempDir(), "data");
  expect(await runCommand("migrate --check", { dataDir })).toMatchObject({
    code: 0,
    out: expect.stringContaining("no store yet"),
  });
  expect(existsSync(dataDir)).toBe(false);
  const { code, out } = await runCommand("migrate", { dataDir: await prepareMemory() });
  expect(code).toBe(0);
  expect(out).toContain("is up to date");
  expect((await runCommand("migrate --grant app", { dataDir })).code).toBe(1);
});
