import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { Caller } from "../../src/operations/pipeline/context.ts";
import { hasPostgres } from "../support/stores/postgres-server.ts";
import { noon, storeKind } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";

const caller: Caller = { era: "modern", transport: "stdio", can: { roots: false, sampling: false } };

test("the store is closed even if another part cannot be closed", async () => {
  const config = readConfig({ env: { THOUGHTBOX_STORAGE: "memory" } });
  const contentDir = join(import.meta.dirname, "..", "..", "content");
  const app = createApp({ config, version: "0.0.0-test", contentDir, log: () => {} });
  const call = (name: string, args: object): Promise<any> => app.perform(name, args, { caller });

  const { result: notebook } = await call("notebook.create", { title: "A notebook", language: "javascript" });
  const added = { notebookId: notebook.notebookId, cellType: "code", content: "1 + 1", filename: "one.js" };
  const { result: cell } = await call("notebook.add_cell", added);
  await app.inspectSandbox();
  // TMPDIR does not exist, so the folder for cells of a store in RAM can be neither created nor removed.
  const before = process.env["TMPDIR"];
  onTestFinished(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  });
  process.env["TMPDIR"] = join(tempDir(), "missing");
  const run = await call("notebook.run_cell", { notebookId: notebook.notebookId, cellId: cell.cell.id });
  expect(run.kind).toBe("error");

  await expect(app.close()).rejects.toMatchObject({ code: "ENOENT" });
  expect(await call("list_sessions", {})).toMatchObject({
    error: { message: expect.stringContaining("The store is closed") },
  });
});

test.skipIf(!hasPostgres)("other connections are closed even if one cannot be closed", async () => {
  type Client = { end(): Promise<void>; listenerCount(event: string): number };
  const prototype: Client = createRequire(import.meta.url)("pg").Client.prototype;
  const { end } = prototype;
  const stuck = new Set<Client>();
  const ended = new Set<Client>();
  prototype.end = function (this: Client) {
    if (this.listenerCount("notification") === 0) {
      ended.add(this);
      return end.call(this);
    }
    stuck.add(this);
    throw new Error("it cannot be closed");
  };
  onTestFinished(async () => {
    prototype.end = end;
    for (const client of stuck) await client.end();
  });

  const store = storeKind("postgres").open(join(tempDir(), "data"), () => new Date(noon));
  const told = new Promise<void>((resolve) => store.feed.onChange(resolve));
  await store.memory.commit("acme", [{ do: "create_branch", name: "side" }], { at: new Date(noon) });
  await told;
  await expect(store.close()).rejects.toThrow("it cannot be closed");
  expect(stuck.size).toBe(1);
  expect(ended.size).toBeGreaterThan(0);
});
