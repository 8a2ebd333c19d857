import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../support/cli.ts";
import { databaseUrl, hasPostgres } from "../../support/stores/postgres-server.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { filesBelow } from "../../support/views/tree.ts";
import { loginSession, planSession, prepareStore } from "../prepared-store.ts";

const engines = hasPostgres ? (["fs", "postgres"] as const) : (["fs"] as const);

async function prepare(engine: (typeof engines)[number]) {
  const dataDir = await prepareStore();
  const env = {
    PORT: "0",
    DATABASE_URL: engine === "fs" ? "" : databaseUrl(),
    THOUGHTBOX_TENANT: `a-${randomUUID().slice(0, 8)}`,
  };
  if (engine === "postgres") {
    const moved = await runCommand("move --to postgres", { dataDir, env });
    expect(moved.code, moved.out + moved.err).toBe(0);
  }
  const options = { dataDir, env: { ...env, THOUGHTBOX_STORAGE: engine } };
  const run = async (line: string | string[]) => {
    const ran = await runCommand(line, options);
    return { ...ran, json: () => JSON.parse(ran.out) };
  };
  const ids = async () => (await run("ls --json")).json().sessions.map(({ id }: { id: string }) => id);
  return { dataDir, run, ids, file: join(tempDir(), "old.jsonl") };
}

describe.each(engines)("archiving on %s", (engine) => {
  test("moves completed sessions to a private file, from which they can be restored with the same hashes", async () => {
    const { dataDir, run, ids, file } = await prepare(engine);
    const thoughts = (await run(["read", loginSession, "--json"])).json();
    const files = filesBelow(join(dataDir, "projects"));
    const archived = await run(["archive", "--before", "2027-01-01", "--to", file]);
    expect(archived.code, archived.err).toBe(0);
    expect(archived.out).toContain("1 session completed before 2027-01-01");
    expect(await ids()).toEqual([planSession]);
    expect((await run(["search", "resolver", "--json"])).json().count).toBe(0);
    const lines = readFileSync(file, "utf8");
    expect(lines).toContain(loginSession);
    expect(lines).not.toContain(planSession);

    const back = await run(["restore", file]);
    expect(back.code, back.out + back.err).toBe(0);
    expect((await ids()).toSorted()).toEqual([loginSession, planSession].toSorted());
    expect((await run(["read", loginSession, "--json"])).json()).toEqual(thoughts);
    const verified = await run("verify --all");
    expect(verified.code, verified.out).toBe(0);
    if (engine === "fs") expect(filesBelow(join(dataDir, "projects"))).toEqual(files);
  });

  test("keeps sessions that were not completed before the date, and archives none with --check", async () => {
    const { run, ids, file } = await prepare(engine);
    const before = await ids();
    expect(await run("archive --before 2027-01-01 --check")).toMatchObject({
      code: 0,
      out: expect.stringContaining("1 session"),
    });
    const none = await run(["archive", "--before", "2026-01-01", "--to", file]);
    expect(none).toMatchObject({ code: 0, out: expect.stringContaining("0 sessions") });
    expect(existsSync(file)).toBe(false);
    expect(await ids()).toEqual(before);
  });

  test("refuses to overwrite a file, and keeps the sessions in the store", async () => {
    const { run, ids, file } = await prepare(engine);
    writeFileSync(file, "mine");
    const refused = await run(["archive", "--before", "2027-01-01", "--to", file]);
    expect(refused.code).toBe(1);
    expect(readFileSync(file, "utf8")).toBe("mine");
    expect(await ids()).toContain(loginSession);
  });
});

test("refuses an invalid date", async () => {
  const dataDir = await prepareStore();
  for (const line of ["archive --to x.jsonl", "archive --before 2026-01-01"])
    expect(await runCommand(line, { dataDir })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/--before <date>|--to <file>/),
    });
  expect(await runCommand("archive --before soon --check", { dataDir })).toMatchObject({
    code: 2,
    err: expect.stringContaining('--before is "soon". It must be a day'),
  });
});
