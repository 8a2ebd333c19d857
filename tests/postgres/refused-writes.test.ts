import { randomUUID } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { createCommitQueue } from "../../src/kernel/commit-queue.ts";
import { ThoughtboxError } from "../../src/kernel/errors.ts";
import { type Query, send } from "../../src/storage/memory/query.ts";
import {
  createReader,
  createSideWriter,
  type WriteConnection,
} from "../../src/storage/postgres/connection/access.ts";
import { createConnector } from "../../src/storage/postgres/connection/open-pool.ts";
import { createPostgresEngine, takingBack } from "../../src/storage/postgres/connection/postgres-engine.ts";
import { runQuery } from "../../src/storage/postgres/memory/run-query.ts";
import { databaseUrl, hasPostgres } from "../support/stores/postgres-server.ts";

const remember = `INSERT INTO idempotency (tenant, scope, key, fingerprint, outcome, at)
  VALUES (@tenant, 'test', ?, '', '', '')`;
const refusal = new ThoughtboxError("CONFLICT", "The change is refused.");

function openTenant() {
  const tenant = randomUUID();
  const { pool, close } = createConnector({ url: databaseUrl(), tenant, poolSize: 2 });
  onTestFinished(close);
  const naming = { byName: true };
  const notices = { onRollback() {}, onRefusal() {}, onCommit() {} };
  const { read } = createReader({ pool, tenant, naming });
  return {
    queue: createCommitQueue(createPostgresEngine(pool, tenant, naming, notices)),
    writeAside: createSideWriter({ pool, tenant, naming }),
    listRemembered: async () =>
      (
        await read(({ sql }) =>
          sql("SELECT key FROM {idempotency} i WHERE scope = 'test' ORDER BY key").all(),
        )
      ).map((row) => row["key"]),
  };
}

function* refuseOneCall(): Query<void> {
  yield { savepoint: "set" };
  yield* send("INSERT INTO memory_focus (wid, target) VALUES (1 / 0, '')");
  yield { savepoint: "undo" };
}

describe.skipIf(!hasPostgres)("a refused write", () => {
  test("does not fail a write of the same commit, even if one of its statements failed", async () => {
    const { queue, listRemembered } = openTenant();
    const attempts: string[] = [];
    const write =
      (name: string, fails: boolean) =>
      async ({ sql, send }: WriteConnection) => {
        attempts.push(name);
        send(sql(remember).run(name));
        if (!fails) return name;
        send(sql("SELECT 1 / 0").run());
        throw refusal;
      };
    const outcomes = await Promise.allSettled([
      queue.submit(takingBack, write("refused", true)),
      queue.submit(takingBack, write("kept", false)),
    ]);
    expect(outcomes).toMatchObject([
      { status: "rejected", reason: refusal },
      { status: "fulfilled", value: "kept" },
    ]);
    expect(attempts).toEqual(["refused", "kept"]);
    expect(await listRemembered()).toEqual(["kept"]);
  });

  test("of a memory call does not fail the other calls, even if one of its statements failed", async () => {
    const { queue, listRemembered } = openTenant();
    const outcome = queue.submit(takingBack, async (connection: WriteConnection) => {
      await runQuery(connection, refuseOneCall());
      connection.send(connection.sql(remember).run("kept"));
      return "kept";
    });
    await expect(outcome).resolves.toBe("kept");
    expect(await listRemembered()).toEqual(["kept"]);
  });

  test("beside the commits stores none of its statements", async () => {
    const { writeAside, listRemembered } = openTenant();
    const written = writeAside(async ({ sql }) => {
      await Promise.all([sql(remember).run("first"), sql(remember).run("second\0")]);
    });
    await expect(written).rejects.toMatchObject({ reason: "unstorable_text" });
    expect(await listRemembered()).toEqual([]);
    await writeAside(({ sql }) => Promise.all([sql(remember).run("first"), sql(remember).run("second")]));
    expect(await listRemembered()).toEqual(["first", "second"]);
  });
});
