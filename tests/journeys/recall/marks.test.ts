import { expect, test } from "vitest";
import { runCommand } from "../../support/cli.ts";
import { createRepository, createTranscript, repositoryOf } from "../../support/git/repository.ts";
import { openShop } from "../../support/recall/shop.ts";
import { storageSettings } from "../../support/stores/stores.ts";
import { createTestApp } from "../../support/test-app.ts";

test("a mark with the current line appears only on the statement that it is about", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  const { minute } = await openShop(app, client);
  const now = "src/catalogue.ts:1 is now: export const cacheSeconds = 300;";
  const where = await client.call("recall", { question: "where is the catalogue cached" });
  expect(where.decisions).toMatchObject([
    { text: "the catalogue is cached in process for 60 seconds", ground: "moved", ground_now: [now] },
    { id: minute, ground: "moved", ground_now: [now] },
  ]);
  const [redis] = where.dead_ends;
  expect(redis).toMatchObject({ instead: expect.stringContaining("in process"), instead_moved: [now] });
  expect(redis).not.toHaveProperty("ground");
  const short = await client.call("recall", { question: "did we try redis", max_chars: 350 });
  expect(short.dead_ends[0]).toHaveProperty("instead");
});

test("a session whose request was refused, declined or reversed is marked as such", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  await openShop(app, client);
  // The user refused a command, and the agent archived the invoices instead.
  const archived = { request: "done differently", title: "Delete old invoices after ten years." };
  const why = await client.call("recall", { question: "why are invoices archived and not deleted" });
  expect(why.sessions).toMatchObject([archived]);
  const request = await client.call("recall", { question: "what was asked for about old invoices" });
  expect(request.sessions).toMatchObject([{ ...archived, asked: { request: "done differently" } }]);
  const transcript = createTranscript(app, "66666666-2222-4333-8444-555555555555");
  transcript.ask("Drop the audit table.", 1);
  transcript.use(
    "Bash",
    { command: "psql -c 'DROP TABLE audit'" },
    { minute: 2, call: "refused" },
    {
      is_error: true,
      content:
        "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nNever drop the audit table by hand.",
    },
  );
  transcript.think("The audit table stays.", 3);
  transcript.ask("Then write down how carts work.", 3);
  transcript.use("Write", { file_path: "/home/ada/shop/docs/carts.md", content: "# Carts\n" }, { minute: 4 });
  await transcript.import(client);
  const audit = await client.call("recall", { question: "what about the audit table" });
  expect(audit.sessions).toMatchObject([{ request: "refused by the user", title: "Drop the audit table." }]);
  const pool = await client.call("recall", { question: "how large should the connection pool be" });
  expect(pool.sessions[0]).not.toHaveProperty("request");

  const open = async (sessionTitle: string, thought: string): Promise<string> => {
    const { sessionId } = await client.call("start_new", { sessionTitle });
    await client.call("thought", { sessionId, thought });
    return sessionId;
  };
  await open("Encrypt the backups", "We decided not to encrypt backups, because the disk already is.");
  await open("Fix the flaky login test", "We decided not to fix the login test with sleeps.");
  const sessionId = await open("Store carts in cookies", "Carts are small.");
  const decision = { because: "Carts are small.", chosen: "cookies", title: "Carts are stored in cookies" };
  const { id } = await client.call("decide", { sessionId, ...decision });
  const rows = { because: "Cookies are lost.", chosen: "rows", title: "Carts are rows", reverses: [id] };
  await client.call("decide", rows);
  for (const [question, fate] of [
    ["what about the backups", "declined by the agent"],
    ["what about the flaky login test", undefined],
    ["where are carts stored", "reversed later"],
  ] as const)
    expect((await client.call("recall", { question })).sessions[0]?.request, question).toBe(fate);
});

test("a changed line names the session that changed it or reports that none did, even if it moved on disk", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  const repository = createRepository(repositoryOf(app));
  const write = (seconds: number, above = "") =>
    repository.write("src/cart.ts", `${above}export const cartSeconds = ${seconds};\n`);
  write(60);
  repository.commit("feat: carts", 0);
  const { sessionId } = await client.call("start_new", { sessionTitle: "Carts" });
  const decision = { title: "Carts expire after one minute", chosen: "cartSeconds = 60" };
  await client.call("decide", {
    sessionId,
    ...decision,
    because: "Stock is scarce.",
    files: ["src/cart.ts:1"],
  });
  const ask = async () =>
    (await client.call("recall", { question: "does the decision about when carts expire still apply" })).why;
  expect(await ask()).toBeUndefined();

  write(120);
  const sha = repository.commit("fix: carts", 1);
  const row = { file: "src/cart.ts", lines: "1" };
  const text = `No recorded session explains the change. See commit ${sha.slice(0, 7)}: fix: carts`;
  expect(await ask()).toEqual([{ ...row, at: expect.any(String), text }]);

  const transcript = createTranscript(app, "77777777-2222-4333-8444-555555555555");
  transcript.ask("Customers lose their carts.", 2);
  transcript.think("Customers need five minutes to pay, so carts expire later.", 3);
  const [before, after] = [120, 300].map((seconds) => `export const cartSeconds = ${seconds};`);
  const edit = { file_path: "/home/ada/shop/src/cart.ts", old_string: before, new_string: after };
  transcript.use("Edit", edit, { minute: 4 });
  write(300);
  repository.commit("fix: longer carts", 5);
  const imported = await transcript.import(client);
  const told = { ...row, sessionId: imported, text: expect.stringContaining("five minutes to pay") };
  expect(await ask()).toMatchObject([told]);
  // The line is found at its position on disk.
  write(300, "// Carts.\n\n");
  expect(await ask()).toMatchObject([{ ...told, lines: "3" }]);
});

test("an abandoned branch names the decision that the session made instead", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  const { sessionId } = await client.call("start_new", { sessionTitle: "Send mail" });
  const think = (thought: string, more: object = {}) =>
    client.call("thought", { sessionId, thought, ...more });
  await think("Choose how to send receipts by mail.");
  await think("Send receipts with our own mail server.", { branchFromThought: 1, branchId: "own" });
  const asked = { question: "which dead ends did we have with receipts" };
  const lesson = "Receipts from our own server end up as spam.";
  await client.call("branch_close", { sessionId, branchId: "own", outcome: "abandoned", lesson });
  const deadEnd = async () => {
    const { dead_ends: ends } = await client.call("recall", asked);
    return ends.find(({ text }: { text: string }) => text.startsWith("branch own"));
  };
  expect(await deadEnd()).not.toHaveProperty("instead");
  await think("We decided to rotate the logs.");
  expect(await deadEnd()).not.toHaveProperty("instead");
  await think("We decided to send receipts through a mail provider.");
  await think("We decided to send receipts by mail only once.");
  expect(await deadEnd()).toHaveProperty("instead", "We decided to send receipts through a mail provider.");
});

test("a dead end within a sentence names the next decision on the subject if the session is short", async () => {
  const app = createTestApp({ backend: "memory" });
  const client = app.modern();
  const { sessionId } = await client.call("start_new", { sessionTitle: "Sort products" });
  const think = (thought: string) => client.call("thought", { sessionId, thought });
  await think(
    "We decided to sort products by price. Sorting products by name did not help, because names repeat.",
  );
  const instead = async () =>
    (await client.call("recall", { question: "did we try to sort products by name" })).dead_ends[0].instead;
  expect(await instead()).toBeUndefined();
  await think("We decided to rotate the logs.");
  expect(await instead()).toBeUndefined();
  await think("We decided to show products by date as well.");
  expect(await instead()).toBe("We decided to show products by date as well.");
  for (let n = 0; n < 20; n += 1) await think(`Page ${n} is finished.`);
  expect(await instead()).toBeUndefined();
});

test("a reason older than a decision on the same subject is marked, also in the command's output", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  const { pool } = await openShop(app, client);
  const short = pool.slice(0, 8);
  const { sessions } = await client.call("recall", { question: "how large should the connection pool be" });
  expect(sessions).toMatchObject([{ because: { older_than: `${short}:5`, id: `${short}:3` } }]);
  const why = await client.call("recall", { question: "why are invoices archived and not deleted" });
  expect(why.sessions[0].because).not.toHaveProperty("older_than");
  await app.close();
  const asked = { dataDir: app.dataDir, env: storageSettings("fs", app.dataDir) };
  const { out } = await runCommand(["recall", "how large should the connection pool be"], asked);
  expect(out.replaceAll(/\s+/g, " ")).toContain(`- because (older than ${short}:5): the pool has 10`);
});
