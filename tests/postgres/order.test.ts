import { randomUUID } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import type { FeedEntry } from "../../src/ports/feed.ts";
import type { Store } from "../../src/ports/store.ts";
import { createPostgresStore } from "../../src/storage/postgres/postgres-store.ts";
import { startSession, think } from "../support/ledger.ts";
import { startCuttingProxy } from "../support/postgres/cutting-proxy.ts";
import { hasPgBouncer, startPgBouncer } from "../support/postgres/pgbouncer.ts";
import { databaseUrl, hasPostgres } from "../support/stores/postgres-server.ts";

const [servers, writers, thoughtsEach, readers] = [3, 8, 25, 4];

/** Cuts connections that listen, so that no hint arrives. */
async function withoutListen(): Promise<string> {
  const onSent = (text: string) => (text.includes("LISTEN thoughtbox") ? "lose" : "pass");
  return (await startCuttingProxy(databaseUrl(), { onSent, onAnswered: () => "pass" })).url;
}

const ways: readonly [string, boolean, () => Promise<string>][] = [
  ["with hints", hasPostgres, async () => databaseUrl()],
  ["without LISTEN", hasPostgres, withoutListen],
  [
    `behind PgBouncer in transaction mode${hasPgBouncer ? "" : " (skipped: install pgbouncer)"}`,
    hasPostgres && hasPgBouncer && process.env["THOUGHTBOX_TEST_DATABASE_URL"] === undefined,
    () => startPgBouncer(databaseUrl()),
  ],
];

function openServer(url: string, tenant: string): Store {
  const store = createPostgresStore({ url, tenant, poolSize: 6 }, () => new Date());
  onTestFinished(() => store.close());
  return store;
}

/** Follows the feed from its last position, through one server after the other, until everything has arrived. */
async function follow(url: string, tenant: string, isAll: (seen: readonly FeedEntry[]) => boolean) {
  const seen: FeedEntry[] = [];
  while (!isAll(seen)) {
    const store = createPostgresStore({ url, tenant, poolSize: 2 }, () => new Date());
    for (let changes = 0; changes < 5 && !isAll(seen); changes += 1) {
      const page = await store.feed.readFeed(seen.at(-1)?.seq ?? 0, 7);
      seen.push(...page);
      if (page.length > 0) continue;
      await new Promise<void>((resolve) => {
        const stop = store.feed.onChange(() => {
          stop();
          resolve();
        });
      });
    }
    await store.close();
  }
  return seen;
}

describe.each(ways)("eight writers on three servers, %s", (_, canRun, makeUrl) => {
  test.skipIf(!canRun)("no reader that reconnects sees a gap, a repetition or another order", async () => {
    const url = await makeUrl();
    const tenant = `t${randomUUID().replaceAll("-", "")}`;
    const stores = Array.from({ length: servers }, () => openServer(url, tenant));
    const [first] = stores as [Store];
    const sessionIds = [await startSession(first.ledger), await startSession(first.ledger)];
    const thoughts = writers * thoughtsEach;
    const isAll = (seen: readonly FeedEntry[]) =>
      seen.filter(({ kind }) => kind === "thought").length >= thoughts;
    const following = Array.from({ length: readers }, () => follow(url, tenant, isAll));
    await Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        const { ledger } = stores[writer % servers] as Store;
        for (let n = 0; n < thoughtsEach; n += 1)
          await think(ledger, sessionIds[n % 2] ?? "", { thought: `${writer}:${n}` });
      }),
    );
    const whole = await first.feed.readFeed(0, 10_000);
    const numbers = whole.map(({ seq }) => seq);
    expect(whole.filter(({ kind }) => kind === "thought")).toHaveLength(thoughts);
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
    for (const seen of await Promise.all(following)) expect(seen.map(({ seq }) => seq)).toEqual(numbers);
  });
});

test.skipIf(!hasPostgres)(
  "a server that has written alone notices what another server has written",
  async () => {
    const tenant = `t${randomUUID().replaceAll("-", "")}`;
    const [one, other] = [openServer(databaseUrl(), tenant), openServer(databaseUrl(), tenant)];
    const written: number[] = [];
    const write = async ({ memory }: Store) => {
      const entry = { kind: "note", content: "a note" } as const;
      const steps = [{ do: "append", branch: "main", doc: "notes", entry }] as const;
      const [{ seq }] = await memory.commit("acme", steps, { at: new Date() });
      written.push(seq);
    };
    for (let round = 0; round < 3; round += 1) {
      for (let n = 0; n < 4; n += 1) await write(one);
      await write(other);
    }
    await write(one);
    expect(written).toEqual([...new Set(written)].sort((first, second) => first - second));
    const page = { branch: "main", doc: "notes", limit: 50 };
    const { entries } = await other.memory.readEntries("acme", page);
    expect(entries.map(({ seq }) => seq)).toEqual(written);
  },
);
