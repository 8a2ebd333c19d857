import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTestRunner } from "../../src/runner/test-runner.testing.ts";
import { allMessages, modernRequest, post } from "../support/mcp-http.ts";
import { openHttpDoor, type RealConnection } from "../support/real-door.ts";
import { tempDir } from "../support/temp-dir.ts";

const eras = ["legacy", "modern"] as const;

async function serve(env: Record<string, string> = {}) {
  const dataDir = tempDir();
  const door = await openHttpDoor(dataDir, {
    ...{ THOUGHTBOX_DISCLOSURE: "open", THOUGHTBOX_TOOLSET: "full", ...env },
  });
  onTestFinished(() => door.close());
  const token = { Authorization: `Bearer ${readFileSync(join(dataDir, "token"), "utf8").trim()}` };
  return { door, url: door.url, token };
}

async function resultOf({ call }: RealConnection, name: string, args: object): Promise<any> {
  const reply = await call(name, args);
  if (reply.kind !== "result") throw new Error(JSON.stringify(reply));
  return reply.result;
}

/** Creates a notebook with one cell that has not run yet. */
async function prepare(connection: RealConnection, content: string) {
  const { notebookId } = await resultOf(connection, "notebook.create", { name: "Sums" });
  const { cellId } = await resultOf(connection, "notebook.add_cell", {
    ...{ notebookId, type: "code", filename: "sum.js", content },
  });
  return { notebookId, cellId };
}

async function callBy(url: URL, headers: Record<string, string>, name: string, args: object) {
  const { body, headers: standard } = modernRequest(1, "tools/call", { name, arguments: args });
  const answer = await post(url, body, { ...standard, ...headers });
  if (answer.status !== 200) return { status: answer.status };
  const [message] = await allMessages(answer);
  const { structuredContent, content } = message?.result ?? {};
  return { status: 200, ...(structuredContent ?? JSON.parse(content?.[0]?.text ?? "{}")) };
}

describe("access to cells over HTTP", () => {
  const runs = ["notebook_run_cell", "notebook_run_all", "notebook_install_deps"] as const;

  test.each(runs)("no web page of any origin can call %s without the token", async (name) => {
    const origin = "http://localhost:3000";
    const { door, url, token } = await serve({ THOUGHTBOX_ALLOWED_ORIGINS: origin });
    const connection = await door.connect("modern");
    const { notebookId, cellId } = await prepare(connection, "33 * 3");
    const args = { notebookId, ...(name === "notebook_run_cell" && { cellId }) };
    expect(await callBy(url, { Origin: "https://evil.example" }, name, args)).toEqual({ status: 403 });
    expect(await callBy(url, { Origin: "http://localhost:8080" }, name, args)).toEqual({ status: 401 });
    const neighbour = { Origin: origin };
    const refused = await callBy(url, neighbour, name, args);
    expect(refused.error).toMatchObject({
      code: "SANDBOX_REQUIRED",
      message: "A web page cannot run cells or install packages.",
    });
    const gateway = { operation: "notebook", subOperation: name.slice("notebook_".length), ...args };
    expect((await callBy(url, neighbour, "thoughtbox_gateway", gateway)).error.code).toBe("SANDBOX_REQUIRED");
    const { cells } = await resultOf(connection, "notebook.list_cells", { notebookId });
    expect(cells.at(-1).status).toBe("idle");
    const allowed = await callBy(url, { ...neighbour, ...token }, name, args);
    expect(allowed, JSON.stringify(allowed)).toMatchObject({ notebookId });
  });

  test("no caller can give a cell network access without the operator", async () => {
    const { door } = await serve();
    const connection = await door.connect("modern");
    const { notebookId } = await resultOf(connection, "notebook.create", { name: "Out", net: true });
    await resultOf(connection, "notebook.add_cell", {
      notebookId,
      type: "code",
      filename: "a.js",
      content: "1",
    });
    const reply = await connection.call("notebook.run_cell", { notebookId, cellId: "a.js" });
    expect(JSON.stringify(reply)).toContain("SANDBOX_REQUIRED");
    expect(JSON.stringify(reply)).toContain("THOUGHTBOX_NOTEBOOK_NET=on");
  });

  test("below level medium, the gateway runs no cells, and the named tools need the token", async () => {
    const { door, url, token } = await serve({ THOUGHTBOX_NOTEBOOK_SANDBOX: "basic" });
    const args = await prepare(await door.connect("modern"), "33 * 3");
    const gateway = { operation: "notebook", subOperation: "run_cell", ...args };
    for (const headers of [{}, token]) {
      const { error } = await callBy(url, headers, "thoughtbox_gateway", gateway);
      expect(error).toMatchObject({ code: "SANDBOX_REQUIRED", details: { level: "basic" } });
      expect(error.message).toContain("The gateway runs cells only at the medium or strong level");
    }
    const { error } = await callBy(url, {}, "notebook_run_cell", args);
    expect(error.message).toContain("Over HTTP, cells at this level run only with the token");
    expect(await callBy(url, token, "notebook_run_cell", args)).toMatchObject({
      status: "completed",
      cell: { run: { value: "99", sandbox: "basic" } },
    });
  });
});

const { runner, close } = createTestRunner("auto");
const { level } = await runner.sandbox();
await close();
const runsByProgram = level === "strong" || level === "medium";
if (!runsByProgram) process.stderr.write(`skipped: the sandbox here is ${level}, so cells need the token\n`);

const endless = 'console.log("begun"); setInterval(() => {}, 1_000)';

describe.skipIf(!runsByProgram).each(eras)("a %s client that runs a cell", (era) => {
  test("is notified when it starts and when it ends", async () => {
    const { door } = await serve();
    const connection = await door.connect(era);
    const args = await prepare(connection, "33 * 3");
    const told: { progress: number; message?: string | undefined }[] = [];
    const { structuredContent } = await connection.client.callTool(
      { name: "notebook_run_cell", arguments: args },
      { onprogress: (progress) => told.push(progress) },
    );
    expect(structuredContent).toMatchObject({ status: "completed" });
    expect(told.length).toBeGreaterThan(1);
    expect(told.at(-1)).toMatchObject({ progress: 1, total: 1, message: "completed" });
  });

  test("can cancel it, and the next run does not wait for its timeout", async () => {
    const { door } = await serve();
    const connection = await door.connect(era);
    const { notebookId, cellId } = await prepare(connection, endless);
    const cancel = new AbortController();
    const cancelled = connection.client.callTool(
      { name: "notebook_run_cell", arguments: { notebookId, cellId, timeoutMs: 120_000 } },
      { signal: cancel.signal, onprogress: () => cancel.abort(new Error("enough")) },
    );
    await expect(cancelled).rejects.toThrow(/enough|abort/i);
    await resultOf(connection, "notebook.add_cell", {
      ...{ notebookId, type: "code", filename: "next.js", content: "1 + 1" },
    });
    const next = await resultOf(connection, "notebook.run_cell", { notebookId, cellId: "next.js" });
    expect(next).toMatchObject({ status: "completed", cell: { run: { value: "2" } } });
    const { cell } = await resultOf(connection, "notebook.get_cell", { notebookId, cellId });
    expect(cell).toMatchObject({ status: "failed", run: { stoppedBy: "cancelled" } });
  });

  test("waits for another client's cell of the same notebook", async () => {
    const { door } = await serve();
    const [one, other] = [await door.connect(era), await door.connect(era)];
    const { notebookId, cellId } = await prepare(
      one,
      `const fs = await import("node:fs");
       fs.appendFileSync("log", "begin ");
       await new Promise((resolve) => setTimeout(resolve, 100));
       fs.appendFileSync("log", "end ");
       fs.readFileSync("log", "utf8")`,
    );
    const runs = await Promise.all(
      [one, other].map((connection) => resultOf(connection, "notebook.run_cell", { notebookId, cellId })),
    );
    const logs = runs.map(({ cell }) => cell.run.value).sort((a, b) => a.length - b.length);
    expect(logs).toEqual(["'begin end '", "'begin end begin end '"]);
  });
});
