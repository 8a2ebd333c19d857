import { expect, test } from "vitest";
import { openShop } from "../../support/recall/shop.ts";
import { oneOfEachAdapter } from "../../support/stores/stores.ts";
import { createTestApp } from "../../support/test-app.ts";

const usedBy = ({ budget }: Record<string, any>): number => budget.used_chars;

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

test("a question about something unrecorded is answered as unknown, with the sessions that match its other words", async () => {
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
  // If a question contains a single unknown word, it is still answered, and the word is reported.
  const known = await client.call("recall", { question: "is redis encrypted" });
  expect(known).toMatchObject({ known: true, missing: ["encrypted"] });

  // If the question names a known file, the file's reason answers the question, whatever its other words are.
  const named = { question: "which certificate expired in src/invoices.ts" };
  expect(await client.call("recall", named)).toMatchObject({ known: true, why: [{}] });
});

test("a question without words is answered as unknown, even if its letters and digits were recorded", async () => {
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

test.each(oneOfEachAdapter)(
  "hostile questions get a bounded answer or a plain refusal, over %s",
  async (backend) => {
    const app = createTestApp({ backend });
    const client = app.modern();
    await openShop(app, client);
    const questions = [
      "the of and to a",
      "?!…",
      "why",
      "אבג דהו",
      "接続プールの大きさ",
      'pool" OR 1=1 NEAR(a b) * ^ {x}: -y',
      "'; DROP TABLE thoughts; --",
      "in year 0000 or 99999-99-99",
      "0000-01-01T00:00:00Z pool",
      "pool ".repeat(80),
      "did we try ".repeat(40),
      "😀".repeat(200),
      "\u202epool\u0000",
    ];
    for (const question of questions)
      for (const max_chars of [300, 1_000]) {
        const reply = await client.reply("recall", { question, max_chars });
        expect(JSON.stringify(reply).length, question).toBeLessThan(max_chars + 3_700);
        expect(["result", "error"]).toContain(reply.kind);
        if (reply.kind === "result") expect(reply.result["budget"]).toMatchObject({ max_chars });
        if (reply.kind === "result") expect(usedBy(reply.result), question).toBeLessThanOrEqual(max_chars);
      }
    expect((await client.refusal("recall", { question: "pool ".repeat(10_000) })).code).toBe(
      "INVALID_PAYLOAD",
    );
    // Even the shortest answer reports that nothing is known, and shows no sessions.
    const unknown = { question: "who approved the retry policy of the shop", max_chars: 300 };
    expect(await client.call("recall", unknown)).toMatchObject({ known: false, sessions: [] });
  },
);

test("if nothing of the requested kind is recorded, the answer reports that before it shows the rest", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  await openShop(app, client);
  const lacking = await client.call("recall", { question: "what is still open about payments" });
  expect(lacking).toMatchObject({ known: true, note: "No open question is recorded about this." });
  expect(lacking.decisions[0].text).toContain("retry payments once");
  expect(Object.keys(lacking).indexOf("note")).toBeLessThan(Object.keys(lacking).indexOf("decisions"));
  const found = await client.call("recall", { question: "what is still open in product search" });
  expect(found).not.toHaveProperty("note");

  const bare = createTestApp({ backend: "fs" }).modern();
  await bare.call("thought", { thought: "The pool is small." });
  expect(await bare.call("recall", { question: "what did the user refuse" })).toMatchObject({
    known: false,
    note: "No refusal or correction is recorded in the newest 64 sessions.",
  });
});

test("a question that names only a kind finds it in older sessions too", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  const open = async (sessionTitle: string, thought: string) => {
    const { sessionId } = await client.call("start_new", { sessionTitle });
    await client.call("thought", { sessionId, thought });
  };
  await open("Oldest", "Open question: who owns the archive? Still unclear.");
  await open("Old", "Open question: which region stores invoices? Still unclear.");
  for (let n = 0; n < 12; n += 1) await open(`Newer ${n}`, `Page ${n} is finished.`);
  const { open: questions } = await client.call("recall", { question: "what are the open questions" });
  expect(questions).toHaveLength(2);
});
