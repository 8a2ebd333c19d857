import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { statusOf } from "../../src/domain/notebook/cell-status.ts";
import { connectRaw, startThinking } from "../support/raw-client.ts";
import { spawnServer } from "../support/server-process.ts";
import { lastingStores, openStore, storageSettings } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";

const longerThanAlive = 16_000;

describe.each(lastingStores)("a server that is killed during run_all, on %s", (backend) => {
  test("leaves one interrupted cell and returns the queued cells to their earlier state", async () => {
    const directory = join(tempDir(), "data");
    const server = spawnServer(directory, {
      ...storageSettings(backend, directory),
      THOUGHTBOX_PROJECT: "p",
    });
    const client = await connectRaw(server, "modern");
    const sessionId = await startThinking(client);
    const { notebookId } = await client.call("notebook.create", { sessionId, name: "Killed" });
    const on = (verb: string, args: object = {}) =>
      client.call(`notebook.${verb}`, { sessionId, notebookId, ...args });
    for (const [filename, content] of [
      ["endless.js", "setInterval(() => {}, 1_000)"],
      ["done.js", "2"],
      ["never.js", "3"],
    ])
      await on("add_cell", { type: "code", filename, content });
    await on("run_cell", { cellId: "done.js" });
    const all = on("run_all", { timeoutMs: 120_000 });
    const ended = expect(all).rejects.toThrow("the server ended before it answered");
    const listed = async () => (await on("list_cells")).cells.slice(2).map(({ status }: any) => status);
    await expect.poll(listed, { timeout: 20_000 }).toEqual(["running", "queued", "queued"]);
    server.child.kill("SIGKILL");
    expect((await server.exited)[1]).toBe("SIGKILL");
    await ended;

    const clock = () => new Date(Date.now() + longerThanAlive);
    const notebook = await openStore(backend, { directory, clock }).notebooks.readNotebook("p", notebookId);
    const left = notebook?.cells.slice(2).map((cell) => statusOf(cell, notebook));
    expect(left).toEqual(["interrupted", "completed", "idle"]);
  });
});
