import { describe, expect, test } from "vitest";
import { runCommand } from "../../support/cli.ts";
import { withRepository } from "../../support/git/repository.ts";
import { openShop } from "../../support/recall/shop.ts";
import { storageSettings } from "../../support/stores/stores.ts";
import { createTestApp } from "../../support/test-app.ts";

const dropped = ["timestamp", "at"];
const withoutTimes = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, one) => (dropped.includes(key) ? undefined : one)));

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

  test("it reports that it knows nothing, and names the subjects about which it found nothing", async () => {
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

  test("text that was deleted or belongs to another project never appears, and answers are repeatable", async () => {
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

test("the IDs in an answer can be opened, and a question that names only a kind covers the newest sessions", async () => {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  await openShop(app, client);
  const { decisions } = await client.call("recall", { question: "what did we decide" });
  expect(decisions.length).toBeGreaterThan(3);
  for (const { id, text } of decisions.filter(({ by }: { by: string }) => by !== "user"))
    expect(JSON.stringify(await client.call("open", { id }))).toContain(text.slice(0, 30));
});

test("a file adds the reason for its lines, and a file outside the repository adds nothing", async () => {
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
