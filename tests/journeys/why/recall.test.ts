import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../support/cli.ts";
import {
  createRepository,
  createTranscript,
  repositoryOf,
  withRepository,
} from "../../support/git/repository.ts";
import { fortyQuestions } from "../../support/recall/forty-questions.ts";
import { openShop } from "../../support/recall/shop.ts";
import { storageSettings } from "../../support/stores/stores.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { createTestApp } from "../../support/test-app.ts";

const usedBy = ({ budget }: Record<string, any>): number => budget.used_chars;

const dropped = ["timestamp", "at"];
const withoutTimes = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, one) => (dropped.includes(key) ? undefined : one)));

/** Sentences that an answer contains twice, apart from what replaced something. */
function repeatedIn(answer: object): string[] {
  const texts: string[] = [];
  JSON.stringify(answer, (key, value) => {
    if (key === "text") texts.push(String(value).toLowerCase().replaceAll(/\W+/g, " ").trim());
    return value;
  });
  return texts.filter((text, at) => texts.some((other, n) => n !== at && other.includes(text)));
}

describe.each(["fs", "memory"] as const)("recall over %s", (backend) => {
  test("one call answers what was decided, given up, refused and left open", async () => {
    const app = createTestApp({ backend });
    const client = app.modern();
    const { pool, cache, retry, search, minute } = await openShop(app, client);
    const ask = async (question: string) => {
      const answer = await client.call("recall", { question, max_chars: 2_000 });
      expect(JSON.stringify(answer).length, question).toBeLessThanOrEqual(2_000);
      return answer;
    };

    const size = await ask("how large should the connection pool be");
    expect(size).toMatchObject({ known: true, sessions: [{ sessionId: pool }] });
    expect(size.decisions[0]).toMatchObject({
      text: expect.stringContaining("20 connections"),
      was: expect.stringContaining("40 connections"),
    });
    expect(JSON.stringify(size).split("40 connections")).toHaveLength(2);

    const redis = await ask("did we try redis for the catalogue");
    expect(redis.sessions[0]).toMatchObject({ sessionId: cache });
    expect(redis.dead_ends[0]).toMatchObject({
      instead: expect.stringContaining("in process for 60 seconds"),
      text: expect.stringContaining("operations cannot run another service"),
    });

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

    const lives = await ask("how long do catalogue entries live");
    expect(lives.decisions).toContainEqual(
      expect.objectContaining({ id: minute, ground: "moved", ground_moved: ["src/catalogue.ts:1"] }),
    );

    const invoices = await ask("may I delete invoices");
    expect(invoices.decisions[0]).toMatchObject({ by: "user", text: expect.stringContaining("archive job") });
    expect(Object.keys(invoices).indexOf("decisions")).toBeLessThan(
      Object.keys(invoices).indexOf("sessions"),
    );
    expect(invoices.sessions[0]).not.toHaveProperty("asked");
  });

  test("it says plainly when it knows nothing, and names what it found nothing about", async () => {
    const app = createTestApp({ backend });
    const client = app.modern();
    await openShop(app, client);
    expect(await client.call("recall", { question: "kubernetes ingress certificates" })).toMatchObject({
      known: false,
      sessions: [],
      note: expect.stringContaining("Nothing recorded"),
    });
    expect(await client.call("recall", { question: "the of and to a" })).toMatchObject({ known: false });
    const partly = await client.call("recall", { question: "connection pool certificates" });
    expect(partly).toMatchObject({ known: true, missing: ["certificates"] });
  });

  test("deleted and foreign text never appears, and the same store gives the same bytes", async () => {
    const app = createTestApp({ backend });
    const client = app.modern();
    const { pool } = await openShop(app, client);
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

test("the first part of an answer of 2,000 characters contains the facts, for forty questions", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  await openShop(app, client);
  const unanswered: string[] = [];
  for (const { question, lead, facts, without = [], notAbove, file } of fortyQuestions) {
    const asked = { question, ...(file !== undefined && { file }), max_chars: 2_000 };
    const answer = await client.call("recall", asked);
    const { question: _asked, known, missing, ...told } = answer;
    expect(usedBy(answer), question).toBeLessThanOrEqual(2_000);
    const [part = ""] = Object.keys(told);
    const first = JSON.stringify({ missing, [part]: told[part] }).toLowerCase();
    const missed = facts.filter((fact) => !first.includes(fact.toLowerCase()));
    const extra = without.filter((name) => name in told);
    const isMisled = notAbove !== undefined && first.includes(notAbove.toLowerCase());
    if (part !== lead || isMisled || missed.length + extra.length > 0 || (facts.length === 0) !== !known)
      unanswered.push(`${question}: ${missed} ${extra} in ${JSON.stringify(told)}`);
    expect(repeatedIn(told), question).toEqual([]);
  }
  expect(unanswered).toEqual([]);
  expect(fortyQuestions).toHaveLength(40);
});

test("both databases give the same bytes, and the same store gives them twice", async () => {
  const first = createTestApp({ backend: "fs" });
  const client = first.modern();
  const { repository } = await openShop(first, client);
  const dataDir = join(tempDir(), "data");
  cpSync(repository.directory, repositoryOf({ dataDir }), { recursive: true });
  const other = createTestApp({ backend: "postgres", dataDir }).modern();
  const file = join(tempDir(), "shop.jsonl");
  for (const [typed, storage, at] of [
    [`dump ${file}`, "fs", first.dataDir],
    [`restore ${file}`, "postgres", dataDir],
  ] as const) {
    const env = storageSettings(storage, at);
    expect(await runCommand(`thoughtbox ${typed}`, { dataDir: at, env })).toMatchObject({ code: 0 });
  }
  for (const { question, file: named } of fortyQuestions) {
    const asked = { question, ...(named !== undefined && { file: named }), max_chars: 2_000 };
    const one = JSON.stringify(await client.call("recall", asked));
    expect(JSON.stringify(await client.call("recall", asked)), question).toBe(one);
    expect(JSON.stringify(await other.call("recall", asked)), question).toBe(one);
  }
}, 120_000);

test("the command shows what replaced a dead end, what a decision replaced, and files that changed", async () => {
  const app = createTestApp({ backend: "fs" });
  const { repository } = await openShop(app, app.modern());
  await app.close();
  const env = storageSettings("fs", app.dataDir);
  const ask = async (question: string) => {
    const asked = { dataDir: app.dataDir, env, directory: repository.directory };
    const { out } = await runCommand(["recall", question], asked);
    return out.replaceAll(/\s+/g, " ");
  };
  expect(await ask("did we try redis for the catalogue")).toMatch(
    /Dead ends - cache the catalogue in redis .* now: \(changed since: src\/catalogue\.ts:1 is now: export const cacheSeconds = 300;\) the catalogue is cached in process for 60 seconds/,
  );
  expect(await ask("how large should the connection pool be")).toMatch(
    /Decisions - the pool gets 20 connections .* before: the pool gets 40 connections/,
  );
  expect(await ask("how long do catalogue entries live")).toContain("changed since: src/catalogue.ts:1");
  expect(await ask("kubernetes ingress")).toBe("Nothing recorded in this project is about this question. ");
});

test("a mark shows the current line, on the statement that it is about and on no other", async () => {
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

test("a request that was refused, declined or reversed is marked where it is a heading", async () => {
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

test("narration never is a reason, and what a user pasted never a decision", async () => {
  const app = createTestApp({ backend: "memory" });
  const client = app.modern();
  const transcript = createTranscript(app, "44444444-2222-4333-8444-555555555555");
  transcript.ask("The importer skips rows with quotes. Find out why.", 1);
  transcript.think(
    "Now let me look at the importer. The importer splits rows at commas, so quotes break it. Let me fix the importer.",
    2,
  );
  transcript.ask("❯ importer run\nError: the importer rows were refused, we will use the other importer", 3);
  transcript.think("Good. If the importer is not an option, we use another.", 4);
  await transcript.import(client);
  const answer = await client.call("recall", { question: "why does the importer skip rows" });
  expect(answer.sessions).toMatchObject([
    {
      asked: { text: "The importer skips rows with quotes. Find out why." },
      because: { text: "The importer splits rows at commas, so quotes break it." },
    },
  ]);
  expect(answer).not.toHaveProperty("decisions");
  expect(answer).not.toHaveProperty("dead_ends");
});

test("refusals that state nothing are no decisions, and a long command does not hide the user's words", async () => {
  const app = createTestApp({ backend: "memory" });
  const client = app.modern();
  const transcript = createTranscript(app, "55555555-2222-4333-8444-555555555555");
  const refuse = (command: string, said: string, minute: number) =>
    transcript.use(
      "Bash",
      { command },
      { minute, call: `refused-${minute}` },
      {
        is_error: true,
        content: `The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\n${said}`,
      },
    );
  const body = "The importer of invoices reads rows. ".repeat(20);
  transcript.ask("Report the importer bug.", 1);
  refuse(`gh issue create --body '${body}'`, "Never report importer bugs in public, mail them.", 2);
  refuse("git commit -m importer", "are there importer problems?", 3);
  refuse("ls importer", "The user wants to clarify these questions. Take their response into account.", 4);
  for (const [minute, said] of [
    [5, "The importer cache doesn't help, because both rows are in one file."],
    [6, "Both rows are in one file, so the importer cache doesn't help."],
  ] as const)
    transcript.think(said, minute);
  await transcript.import(client);
  const answer = await client.call("recall", { question: "importer" });
  expect(answer.decisions).toHaveLength(1);
  expect(answer.decisions[0].text).toMatch(
    /^refused gh issue create .{10,80}…: Never report .* mail them\.$/,
  );
  expect(answer.dead_ends).toHaveLength(1);
});

test("an edit that was taken back with words of giving up is a dead end, removed debugging is not", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  const repository = createRepository(repositoryOf(app));
  repository.write("README.md", "# Shop\n");
  repository.commit("docs: start", 0);
  const transcript = createTranscript(app, "33333333-2222-4333-8444-555555555555");
  const change = (before: string, after: string, minute: number) =>
    transcript.use(
      "Edit",
      { file_path: "/home/ada/shop/src/rates.ts", old_string: before, new_string: after },
      { minute },
    );
  const [batched, traced] = ["await loadRatesInOneBatch(currencies);", "console.log('rates', currencies);"];
  transcript.ask("Load the exchange rates faster.", 1);
  transcript.think("One batch request should be faster for exchange rates.", 2);
  change("await loadRates();", batched, 3);
  change("start();", traced, 4);
  transcript.think(
    "The batch endpoint of the exchange rates is limited. I revert it, this does not work.",
    5,
  );
  change(batched, "await loadRates();", 6);
  transcript.think("Now I undo the debug output of the exchange rates.", 7);
  change(traced, "start();", 8);
  await transcript.import(client);
  const { dead_ends } = await client.call("recall", { question: "did we try to load exchange rates faster" });
  const undone = dead_ends.filter(({ text }: { text: string }) => text.startsWith("undone in"));
  const told = { text: expect.stringMatching(/^undone in …\/src\/rates\.ts: The batch endpoint/) };
  expect(undone).toMatchObject([told]);

  repository.write("src/rates.ts", "await loadRates();\n");
  repository.commit("feat: rates", 9);
  const here = await client.call("recall", { question: "did we try to load exchange rates faster" });
  expect(here.dead_ends[0].text).toMatch(/^undone in src\/rates\.ts: The batch endpoint/);
});

test("a question is open until its session decides about it, and a short answer keeps its first part", async () => {
  const app = createTestApp({ backend: "memory" });
  const client = app.modern();
  const { sessionId } = await client.call("start_new", { sessionTitle: "Choose a cache" });
  const think = (thought: string) => client.call("thought", { sessionId, thought });
  const asked = { question: "what is still open about the cache backend" };
  await think("Open question: which cache backend keeps the carts? Still unclear.");
  expect(await client.call("recall", asked)).toMatchObject({
    open: [{ text: expect.stringContaining("cache backend") }],
  });
  await think("We decided to log in with a link.");
  expect(await client.call("recall", asked)).toHaveProperty("open");
  await think("We decided to use memcached as the cache backend.");
  const later = await client.call("recall", asked);
  expect(later).not.toHaveProperty("open");
  expect(later.decisions[0].text).toContain("memcached");

  const shop = createTestApp({ backend: "memory" });
  await openShop(shop, shop.modern());
  const short = await shop.modern().call("recall", { question: "may I delete invoices", max_chars: 500 });
  expect(Object.keys(short)).not.toContain("why");
  expect(short.decisions[0].text).toContain("Never delete invoices by hand");
});

test("secrets are masked, and text in the trash is not recalled", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  const secret = ["ghp", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("_");
  const { sessionId } = await client.call("start_new", { sessionTitle: "Deploy token" });
  const thought = `We decided to deploy with the token ${secret} because the pipeline needs it.`;
  await client.call("thought", { sessionId, thought });
  const asked = { question: "what did we decide about the deploy token" };
  const told = JSON.stringify(await client.call("recall", asked));
  expect(told).toContain("We decided to deploy with the token");
  expect(told).not.toMatch(/a1B2|7R8/);
  await client.call("session.delete", { sessionId, confirm: true });
  expect(await client.call("recall", asked)).toMatchObject({ known: false });
});

test("the IDs of an answer open, and a question about a kind alone is about the newest sessions", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  await openShop(app, client);
  const { decisions } = await client.call("recall", { question: "what did we decide" });
  expect(decisions.length).toBeGreaterThan(3);
  for (const { id, text } of decisions.filter(({ by }: { by: string }) => by !== "user"))
    expect(JSON.stringify(await client.call("open", { id }))).toContain(text.slice(0, 30));
});

test("a question about something else is unknown, and names the sessions with its other words", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  const { pool, retry } = await openShop(app, client);
  for (const [question, sessionId, missing] of [
    ["is the connection pool certificate expired", pool, ["certificate", "expired"]],
    ["who approved the retry policy", retry, ["approved", "policy"]],
  ] as const) {
    const { budget: _budget, truncated: _truncated, ...answer } = await client.call("recall", { question });
    const note = "Nothing recorded in this project is about this question.";
    const related = [{ sessionId, title: expect.any(String), at: expect.any(String) }];
    expect(answer).toEqual({ question, known: false, sessions: [], note, missing, related });
  }
  // One unknown word is only named.
  const known = await client.call("recall", { question: "is redis encrypted" });
  expect(known).toMatchObject({ known: true, missing: ["encrypted"] });

  // A file that the question names answers it, whatever its other words are.
  const named = { question: "which certificate expired in src/invoices.ts" };
  expect(await client.call("recall", named)).toMatchObject({ known: true, why: [{}] });
});

test("a question without words is unknown, even if its letters and digits were recorded", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  await openShop(app, client);
  const { sessionId } = await client.call("start_new", { sessionTitle: "Pool of 20" });
  const pool = { title: "Pool of 20", chosen: "20", because: "1 x 20 is enough, a y or b is not." };
  await client.call("decide", { sessionId, ...pool });
  for (const question of ["20", "0000-00-00 20", "x y 1", '" OR 1=1 NEAR(a b) * ^ {x}: -y שלום 東京 20'])
    expect(await client.call("recall", { question }), question).toMatchObject({ known: false, sessions: [] });
  expect(await client.call("recall", { question: "pool 20" })).toMatchObject({ known: true });
});

test("hostile questions get a bounded answer or a plain refusal", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  await openShop(app, client);
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
