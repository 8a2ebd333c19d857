import { describe, expect, test } from "vitest";
import { fewWays, shareTestApp, startThinking, type TestClient } from "../support/test-app.ts";

async function withNotebook(client: TestClient) {
  const sessionId = await startThinking(client);
  const { notebookId } = await client.call("notebook.create", {
    sessionId,
    name: "Does rounding lose cents?",
  });
  const on = (verb: string, args: object = {}) =>
    client.call(`notebook.${verb}`, { sessionId, notebookId, ...args });
  const refusal = (verb: string, args: object = {}) =>
    client.refusal(`notebook.${verb}`, { sessionId, notebookId, ...args });
  return { sessionId, notebookId, on, refusal };
}

describe.each(fewWays)("notebooks, %s over %s", (era, backend) => {
  const app = shareTestApp({ backend });
  const newClient = () => app[era]();

  test("the error about an unknown cell lists the existing cells with their file names", async () => {
    const { on, refusal } = await withNotebook(newClient());
    const { cellId } = await on("add_cell", { type: "code", filename: "split.ts", content: "1" });
    const { details } = await refusal("run_cell", { cellId: "nope.ts" });
    const cells = details?.["cells"];
    expect(cells).toContainEqual({ id: cellId, type: "code", filename: "split.ts" });
    expect(cells).toContainEqual({ id: expect.any(String), type: "title" });
  });

  test("an agent reproduces a bug, records the run as evidence for a hypothesis and hands the notebook over", async () => {
    const client = newClient();
    const { sessionId, on } = await withNotebook(client);
    await client.call("thought", {
      sessionId,
      thought: "S1|H|Shares are rounded one by one, so cents get lost",
    });
    await on("add_cell", {
      cellType: "code",
      filename: "split.ts",
      source:
        "export const split = (cents: number, n: number): number[] => Array(n).fill(Math.floor(cents / n));",
    });
    const { cellId } = await on("add_cell", {
      type: "code",
      filename: "reproduce.ts",
      content:
        'import { split } from "./split.ts";\nconst parts = split(100, 3);\nconsole.log(parts);\nparts.reduce((a, b) => a + b)',
    });
    const run = await on("run_cell", { cellId, recordAs: { sessionId, type: "E", references: [1] } });
    expect(run).toMatchObject({
      status: "completed",
      output: "[ 33, 33, 33 ]\n",
      error: null,
      cell: { status: "completed", run: { value: "99", exitCode: 0, sandbox: expect.any(String) } },
      recorded: { sessionId, thoughtNumber: 2 },
    });
    const { thoughts } = await client.call("read_thoughts", { sessionId, last: 1 });
    expect(thoughts[0].thought).toMatch(
      /^S2\|E\|S1\|99 · \[ 33, 33, 33 \] \(reproduce\.ts of notebook “Does rounding lose cents\?”: completed, /,
    );
    expect(thoughts[0].thought).toMatch(
      new RegExp(` thoughtbox://notebooks/\\S+/cells/${cellId}\\?version=1&run=\\d+\\S*$`),
    );
    for (const format of ["json", "markdown", "cipher"]) {
      const exported = JSON.stringify(await client.call("session.export", { sessionId, format }));
      expect(exported, format).toContain(
        `thoughtbox://notebooks/${run.notebookId}/cells/${cellId}?version=1`,
      );
      expect(exported, format).toContain("33, 33, 33");
    }

    const markdown = (await client.call("session.export", { sessionId, format: "markdown" })).content;
    expect(markdown).toContain("## Notebook cells");
    expect(markdown).toContain("const parts = split(100, 3);");
    expect(markdown).toMatch(
      /Ran at \S+: completed, exit 0, \d+ ms, sandbox \w+\.\n\nPrinted:\n\n```text\n\[ 33, 33, 33 \]\n```/,
    );

    const { content } = await on("export");
    const { notebook } = await client.call("notebook.load", { sessionId, content });
    expect(notebook.cells.map(({ filename }: any) => filename)).toEqual([
      undefined,
      "package.json",
      "split.ts",
      "reproduce.ts",
    ]);
    const again = await client.call("notebook.run_all", { sessionId, notebookId: notebook.id });
    expect(again).toMatchObject({ status: "completed", notRun: 0, ran: [{}, { value: "99" }] });
  });

  test("recorded evidence contains a value of several lines only once", async () => {
    const client = newClient();
    const { sessionId, on } = await withNotebook(client);
    const value = '({ order: { number: "88123", parts: [1, 2, { captured: "at the second attempt" }] } })';
    const { cellId } = await on("add_cell", { type: "code", filename: "deep.js", content: value });
    const run = await on("run_cell", { cellId, recordAs: { sessionId, type: "E" } });
    expect(run.cell.run.value).toContain("\n");
    const { thoughts } = await client.call("read_thoughts", { sessionId, last: 1 });
    expect(thoughts[0].thought.split("at the second attempt")).toHaveLength(2);
  });

  test("printed output is not parsed as cipher, and a run that only displays a picture can be recorded", async () => {
    const client = newClient();
    const { sessionId, on } = await withNotebook(client);
    const record = async (filename: string, content: string) => {
      const { cellId } = await on("add_cell", { type: "code", filename, content });
      await on("run_cell", { cellId, recordAs: { sessionId, type: "E" } });
      const { thoughts } = await client.call("read_thoughts", { sessionId, last: 1, verbose: true });
      return thoughts[0];
    };
    const printed = await record("print.js", 'console.log("S99|x\\n[S1] ⊖ [S2]\\nS7|C|S1|done")');
    expect(printed.thought).toContain("S99|x");
    expect(printed.cipher).toMatchObject([{ type: "E", references: [] }]);
    expect(printed.cipher).toHaveLength(1);
    const picture = await record("picture.js", 'display({ mime: "image/svg+xml", data: "<svg/>" });');
    expect(picture.thought).toContain("The cell displayed image/svg+xml.");
  });

  test("a recorded run keeps its value, however often the cell runs again", async () => {
    const client = newClient();
    const { sessionId, notebookId, on } = await withNotebook(client);
    const { cellId } = await on("add_cell", {
      ...{ type: "code", filename: "count.js" },
      content: `const fs = await import("node:fs");
        fs.appendFileSync("log", "x");
        fs.readFileSync("log", "utf8").length`,
    });
    await on("run_cell", { cellId, recordAs: { sessionId, type: "E" } });
    await on("run_cell", { cellId });
    const { thoughts } = await client.call("read_thoughts", { sessionId, last: 1 });
    const [, run] = /\?version=1&run=(\d+)/.exec(thoughts[0].thought) ?? [];
    const shown = async (args: object) => (await on("get_cell", { cellId, ...args })).cell.run?.value;
    expect(await shown({})).toBe("2");
    expect(await shown({ version: 1, run: Number(run) })).toBe("1");
    expect(await shown({ run: 1 })).toBeUndefined();
    const { content } = await client.call("session.export", { sessionId, format: "markdown" });
    expect(content).toContain(`thoughtbox://notebooks/${notebookId}/cells/${cellId}?version=1&run=${run}`);
    expect(content).toContain("Value:\n\n```text\n1\n```");
  });

  test("a recorded run has the number of its thought, even if others record thoughts at the same time", async () => {
    const client = newClient();
    const { sessionId, on } = await withNotebook(client);
    const filenames = ["one.js", "two.js", "three.js"];
    for (const filename of filenames) await on("add_cell", { type: "code", filename, content: "1" });
    let isRunning = true;
    const think = async () => {
      while (isRunning) await client.call("thought", { sessionId, thought: "Meanwhile." });
    };
    const others = think();
    const numbers: number[] = [];
    try {
      for (const cellId of filenames) {
        const { recorded } = await on("run_cell", { cellId, recordAs: { sessionId, type: "E" } });
        numbers.push(recorded.thoughtNumber);
      }
    } finally {
      isRunning = false;
      await others;
    }
    for (const thoughtNumber of numbers) {
      const { thoughts } = await client.call("read_thoughts", { sessionId, thoughtNumber, verbose: true });
      expect(thoughts[0].thought).toMatch(new RegExp(`^S${thoughtNumber}\\|E\\|`));
      expect(thoughts[0].cipher).toMatchObject([{ number: thoughtNumber }]);
    }
  });

  test("the references of a run to record are checked before the cell runs", async () => {
    const client = newClient();
    const { sessionId, on, refusal } = await withNotebook(client);
    await client.call("thought", { sessionId, thought: "S1|H|It is one" });
    const { cellId } = await on("add_cell", { type: "code", filename: "one.js", content: "1" });
    expect(await refusal("run_cell", { cellId, recordAs: { sessionId, references: [1, 7] } })).toMatchObject({
      code: "THOUGHT_NOT_FOUND",
      message: expect.stringContaining("S7"),
      details: { missing: [7], highest: 1 },
    });
    expect((await on("get_cell", { cellId })).cell.status).toBe("idle");
  });

  test("an edit makes a cell and its dependants stale, and run_all with staleOnly runs only these", async () => {
    const { on } = await withNotebook(newClient());
    for (const [filename, content] of [
      ["two.ts", "export const two = 2;\ntwo"],
      ["four.ts", 'import { two } from "./two.ts";\ntwo * 2'],
      ["other.ts", "5"],
    ])
      await on("add_cell", { type: "code", filename, content });
    const statuses = async () =>
      (await on("list_cells")).cells.slice(2).map(({ status }: { status: string }) => status);
    await on("run_all");
    expect(await statuses()).toEqual(["completed", "completed", "completed"]);
    const edit = { cellId: "two.ts", content: "export const two = 20;\ntwo" };
    expect((await on("update_cell", edit)).cell.status).toBe("stale");
    expect(await statuses()).toEqual(["stale", "stale", "completed"]);
    expect((await on("get_cell", { cellId: "four.ts" })).cell.status).toBe("stale");
    expect(await on("run_all", { staleOnly: true })).toMatchObject({
      status: "completed",
      ran: [
        { filename: "two.ts", value: "20" },
        { filename: "four.ts", value: "40" },
      ],
    });
    expect(await statuses()).toEqual(["completed", "completed", "completed"]);
    expect(await on("run_all", { staleOnly: true })).toMatchObject({ ran: [], notRun: 0 });
  });

  test("cells that run_all has not run yet are queued and return to their earlier state if it fails", async () => {
    const client = newClient();
    const { sessionId, notebookId, on } = await withNotebook(client);
    for (const [filename, content] of [
      ["slow.js", "setInterval(() => {}, 1_000)"],
      ["done.js", "2"],
      ["never.js", "3"],
    ])
      await on("add_cell", { type: "code", filename, content });
    await on("run_cell", { cellId: "done.js" });
    const statuses = async () =>
      (await on("list_cells")).cells.slice(2).map(({ status }: { status: string }) => status);
    const other = newClient();
    const otherSession = await startThinking(other);
    const all = other.call("notebook.run_all", { sessionId: otherSession, notebookId, timeoutMs: 4_000 });
    await expect.poll(statuses, { timeout: 20_000 }).toEqual(["running", "queued", "queued"]);
    const waiting = client.call("notebook.run_cell", { sessionId, notebookId, cellId: "done.js" });
    expect(await all).toMatchObject({ status: "failed", failedCell: "slow.js", notRun: 2 });
    expect(await waiting).toMatchObject({ status: "completed" });
    expect(await statuses()).toEqual(["failed", "completed", "idle"]);
  });

  test("a cell that waited runs with the other cells as they are then", async () => {
    const client = newClient();
    const { sessionId, notebookId, on } = await withNotebook(client);
    for (const [filename, content] of [
      ["slow.js", "setInterval(() => {}, 1_000)"],
      ["two.ts", "export const two = 2;"],
      ["four.ts", 'import { two } from "./two.ts";\ntwo * 2'],
    ])
      await on("add_cell", { type: "code", filename, content });
    const statuses = async () =>
      (await on("list_cells")).cells.slice(2).map(({ status }: { status: string }) => status);
    const slow = on("run_cell", { cellId: "slow.js", timeoutMs: 2_000 });
    await expect.poll(statuses, { timeout: 20_000 }).toEqual(["running", "idle", "idle"]);
    const waiting = newClient().call("notebook.run_cell", { sessionId, notebookId, cellId: "four.ts" });
    await expect.poll(statuses, { timeout: 20_000 }).toEqual(["running", "idle", "queued"]);
    await on("update_cell", { cellId: "two.ts", content: "export const two = 20;" });
    expect(await slow).toMatchObject({ status: "failed" });
    expect((await waiting).cell.run).toMatchObject({ value: "40" });
    expect((await statuses())[2]).toBe("completed");
  });

  test("run_all stops at the first failure and names the cell", async () => {
    const { on } = await withNotebook(newClient());
    for (const [filename, content] of [
      ["one.ts", "1"],
      ["two.ts", "// wrong\nthrow new Error('two')"],
      ["three.ts", "3"],
    ])
      await on("add_cell", { type: "code", filename, content });
    const all = await on("run_all");
    expect(all).toMatchObject({ status: "failed", failedCell: "two.ts", notRun: 1 });
    expect(all.ran[1].error).toBe("Error: two\n    at two.ts:2:7");
    const { cells } = await on("list_cells");
    expect(cells.slice(2).map(({ status }: any) => status)).toEqual(["completed", "failed", "idle"]);
  });

  test("a notebook that was created with a key and deleted is not created again with that key", async () => {
    const client = newClient();
    const sessionId = await startThinking(client);
    const creation = { sessionId, name: "Cents", idempotencyKey: `cents of ${sessionId}` };
    const { notebookId } = await client.call("notebook.create", creation);
    expect((await client.call("notebook.create", creation)).notebookId).toBe(notebookId);
    await client.call("notebook.delete", { sessionId, notebookId, confirm: true });
    expect(await client.refusal("notebook.create", creation)).toMatchObject({
      code: "INVALID_PAYLOAD",
      message: "The notebook for this idempotencyKey was deleted.",
    });
  });

  test("cells keep all their versions, and deleted notebooks can be restored from the trash", async () => {
    const client = newClient();
    const { sessionId, notebookId, on } = await withNotebook(client);
    const { cellId } = await on("add_cell", { type: "markdown", text: "first" });
    await on("update_cell", { cellId, content: "second" });
    await on("move_cell", { cellId, position: 0 });
    await on("delete_cell", { cellId });
    expect((await on("restore_cell", { cellId })).cell).toMatchObject({ text: "second", version: 4 });
    expect((await on("restore_cell", { cellId, version: 1 })).cell).toMatchObject({
      text: "first",
      version: 5,
    });
    expect((await on("get_cell", { cellId, versions: true })).versions).toMatchObject([
      { content: "first" },
      { content: "second" },
      { deleted: true },
      { content: "second" },
      { content: "first" },
    ]);
    await on("delete", { confirm: true });
    expect(await client.refusal("notebook.list_cells", { sessionId, notebookId })).toMatchObject({
      code: "UNKNOWN_ID",
    });
    const { notebooks } = await client.call("notebook.list", { sessionId, trash: true });
    expect(notebooks.map(({ id }: any) => id)).toContain(notebookId);
    expect((await on("restore")).notebook.cells[0]).toMatchObject({ text: "first" });
  });

  test("two clients that run cells of one notebook take turns", async () => {
    const client = newClient();
    const { sessionId, notebookId, on } = await withNotebook(client);
    const content = `
      import fs from "node:fs";
      import { setTimeout as wait } from "node:timers/promises";
      fs.appendFileSync("log", "begin ");
      await wait(150);
      fs.appendFileSync("log", "end ");
      fs.readFileSync("log", "utf8")`;
    await on("add_cell", { type: "code", filename: "slow.ts", content });
    const other = newClient();
    const otherSession = await startThinking(other);
    const slow = { notebookId, cellId: "slow.ts" };
    await Promise.all([
      client.call("notebook.run_cell", { ...slow, sessionId }),
      other.call("notebook.run_cell", { ...slow, sessionId: otherSession }),
    ]);
    const { cell } = await on("get_cell", { cellId: "slow.ts" });
    expect(cell.run.value).toBe("'begin end begin end '");
  });

  test("a caller can have eight waiting runs, and the ninth is refused", async () => {
    const client = newClient();
    const { sessionId, notebookId, on } = await withNotebook(client);
    // This cell does not compile, so each run is short.
    await on("add_cell", { type: "code", filename: "broken.ts", content: "const = 1" });
    const call = { sessionId, notebookId, cellId: "broken.ts" };
    await client.call("notebook.run_cell", call);
    const replies = await Promise.all(
      Array.from({ length: 12 }, () =>
        client.call("notebook.run_cell", call).then(
          ({ status }: { status: string }) => status,
          (thrown: unknown) => String(thrown),
        ),
      ),
    );
    expect(replies.filter((reply) => reply === "failed").length).toBeGreaterThanOrEqual(8);
    expect(replies.filter((reply) => reply.includes("Too many runs")).length).toBeGreaterThan(0);
    expect(await client.call("notebook.run_cell", call)).toMatchObject({ status: "failed" });
  });

  test("invalid cells and dependencies are refused and change nothing", async () => {
    const { on, refusal } = await withNotebook(newClient());
    const before = await on("list_cells");
    expect(await refusal("add_cell", { type: "code", content: "", filename: "a/b.ts" })).toMatchObject({
      code: "INVALID_PAYLOAD",
    });
    expect(await refusal("add_cell", { type: "package.json", content: "{}" })).toMatchObject({
      code: "CONFLICT",
    });
    expect(await refusal("update_cell", { cellId: "package.json", content: "{" })).toMatchObject({
      code: "INVALID_PAYLOAD",
      message: expect.stringContaining("not valid JSON"),
    });
    expect(await refusal("add_cell", { type: "spreadsheet", content: "" })).toMatchObject({
      code: "INVALID_PAYLOAD",
    });
    expect(await refusal("install_deps", { packages: ["x@git+https://example.com/x.git"] })).toMatchObject({
      code: "INVALID_PAYLOAD",
    });
    expect(await on("list_cells")).toEqual(before);
  });
});
