import { describe, expect, test } from "vitest";
import { createTranscript, withRepository } from "../../support/git/repository.ts";
import { createTestApp, type TestApp, type TestClient } from "../../support/test-app.ts";

/** Five sessions: a reversal, two dead ends, a refusal and an abandoned branch. */
async function fill(app: TestApp, client: TestClient) {
  const start = async (sessionTitle: string) => (await client.call("start_new", { sessionTitle })).sessionId;
  const think = (sessionId: string, thought: string, more: object = {}) =>
    client.call("thought", { sessionId, thought, ...more });

  const pool = await start("Size the connection pool");
  await think(pool, "S1|Q|why does checkout time out under load?");
  await think(pool, "S2|H|the pool is too small for 40 workers");
  await think(pool, "S3|C|S2|the pool gets 40 connections because each worker needs one");
  await think(pool, "S4|R|^S3|the pool gets 20 connections because the database allows only 25", {
    revisesThought: 3,
  });

  const cache = await start("Cache the catalogue");
  await think(cache, "S1|H|cache the catalogue in redis");
  await think(cache, "S2|X|S1|redis is ruled out because operations cannot run another service");
  await think(cache, "S3|C|S2|the catalogue is cached in process for 60 seconds");

  const retry = await start("Retry failed payments");
  await think(
    retry,
    "We tried exponential backoff for payments. It did not help, because the provider blocks us.",
  );
  await think(retry, "We decided to retry payments once and then ask the customer.");

  const search = await start("Search products");
  await think(search, "Compare a trigram index with full text for product search.");
  await think(search, "Build product search on trigrams.", { branchFromThought: 1, branchId: "trigrams" });
  await think(search, "S2|X|S1|trigrams gave up on short product names, so this branch is abandoned", {
    branchId: "trigrams",
  });
  await think(search, "Open question: which language does product search stem in? Still unclear.");

  const transcript = createTranscript(app, "22222222-2222-4333-8444-555555555555");
  transcript.ask("Delete old invoices after ten years.", 1);
  transcript.think("Invoices are kept in one table, so one statement removes the old ones.", 2);
  transcript.use(
    "Bash",
    { command: "psql -c 'DELETE FROM invoices'" },
    { minute: 3, call: "refused" },
    {
      is_error: true,
      content:
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\nNever delete invoices by hand. Use the archive job.",
    },
  );
  await transcript.import(client);
  return { pool, cache, retry, search };
}

const usedBy = ({ budget }: Record<string, any>): number => budget.used_chars;

const dropped = ["timestamp", "at"];
const withoutTimes = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, one) => (dropped.includes(key) ? undefined : one)));

describe.each(["fs", "memory"] as const)("recall over %s", (backend) => {
  test("one call answers what was decided, given up, refused and left open", async () => {
    const app = createTestApp({ backend });
    const client = app.modern();
    const { pool, cache, retry, search } = await fill(app, client);
    const ask = async (question: string) => {
      const answer = await client.call("recall", { question, max_chars: 2_000 });
      expect(JSON.stringify(answer).length, question).toBeLessThanOrEqual(2_000);
      return answer;
    };

    const size = await ask("how large should the connection pool be");
    expect(size).toMatchObject({ known: true, sessions: [{ sessionId: pool }] });
    expect(JSON.stringify(size)).toContain("20 connections");
    expect(JSON.stringify(size)).not.toContain("40 connections");

    const redis = await ask("did we try redis for the catalogue");
    expect(redis.sessions[0]).toMatchObject({ sessionId: cache });
    expect(JSON.stringify(redis.dead_ends)).toContain("operations cannot run another service");

    const payments = await ask("what did we decide about payments");
    expect(payments.sessions[0].sessionId).toBe(retry);
    expect(payments.decisions[0].text).toContain("retry payments once");
    expect(JSON.stringify(payments.dead_ends)).toContain("did not help");

    const products = await ask("what is still open in product search");
    expect(products.sessions[0].sessionId).toBe(search);
    expect(JSON.stringify(products.open)).toContain("which language");
    expect(JSON.stringify(await ask("was trigram product search abandoned"))).toContain(
      "short product names",
    );

    const invoices = await ask("may I delete invoices");
    expect(invoices.decisions[0]).toMatchObject({ by: "user", text: expect.stringContaining("archive job") });
    expect(invoices.sessions[0].asked.text).toContain("Delete old invoices");
  });

  test("it says plainly when it knows nothing, and names what it found nothing about", async () => {
    const app = createTestApp({ backend });
    const client = app.modern();
    await fill(app, client);
    expect(await client.call("recall", { question: "kubernetes ingress certificates" })).toMatchObject({
      known: false,
      sessions: [],
      note: expect.stringContaining("Nothing recorded"),
    });
    const partly = await client.call("recall", { question: "connection pool certificates" });
    expect(partly).toMatchObject({ known: true, missing: ["certificates"] });
  });

  test("deleted and foreign text never appears, and the same store gives the same bytes", async () => {
    const app = createTestApp({ backend });
    const client = app.modern();
    const { pool } = await fill(app, client);
    const asked = { question: "connection pool database" };
    const first = await client.call("recall", asked);
    expect(withoutTimes(await client.call("recall", asked))).toEqual(withoutTimes(first));
    const { sessionId } = await client.call("start_new", { sessionTitle: "Pool", project: "foreign" });
    await client.call("thought", { sessionId, thought: "The connection pool database password is weak." });
    await client.call("session.delete", { sessionId: pool, confirm: true });
    const later = JSON.stringify(await client.call("recall", asked));
    expect(later).not.toContain("20 connections");
    expect(later).not.toContain("password is weak");
  });
});

test("hostile questions get a bounded answer or a plain refusal", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  await fill(app, client);
  const questions = [
    "the of and to a",
    "?!…",
    "why",
    "אבג דהו",
    "接続プールの大きさ",
    'pool" OR 1=1 NEAR(a b) * ^ {x}: -y',
    "in year 0000 or 99999-99-99",
    "pool ".repeat(80),
    "\u202epool\u0000",
  ];
  for (const question of questions) {
    const reply = await client.reply("recall", { question, max_chars: 300 });
    expect(JSON.stringify(reply).length, question).toBeLessThan(4_000);
    expect(["result", "error"]).toContain(reply.kind);
    if (reply.kind === "result") expect(reply.result["budget"]).toMatchObject({ max_chars: 300 });
    if (reply.kind === "result") expect(usedBy(reply.result), question).toBeLessThanOrEqual(300);
  }
  expect((await client.refusal("recall", { question: "pool ".repeat(10_000) })).code).toBe("INVALID_PAYLOAD");
});

test("a file adds why its lines exist, and one that git does not know adds nothing", async () => {
  const app = createTestApp({ backend: "fs" });

  const { client, sessionId } = await withRepository(app);
  const asked = { question: "how large is the pool", file: "src/pool.ts" };
  expect((await client.call("recall", asked)).why).toMatchObject([
    {
      file: "src/pool.ts",
      lines: "1-3",
      sessionId,
      text: expect.stringContaining("one connection per worker"),
    },
  ]);
  expect(await client.call("recall", { ...asked, file: "../outside.ts" })).not.toHaveProperty("why");
});
