import { expect, test } from "vitest";
import { seededRandom } from "../support/seeded-random.ts";
import { hasPostgres } from "../support/stores/postgres-server.ts";
import { createTestApp, type Door, startThinking } from "../support/test-app.ts";

const words = [
  "pool",
  "pools",
  "timeout",
  "resolver",
  "noon",
  "queue",
  "cache",
  "café",
  "接続",
  "retry",
  "retries",
  "p99",
];

/** Writes the same history to a store: changing cards, branches, tasks, jobs, anchors, notes and thoughts. */
async function live(backend: Door, seed: number) {
  // The clock advances a second at every reading, so that no two items have the same age.
  let now = Date.UTC(2026, 10, 17);
  const clock = () => {
    now += 1_000;
    return new Date(now);
  };
  const client = createTestApp({ backend, clock }).modern();
  const random = seededRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const say = (length: number) => Array.from({ length }, () => pick(words)).join(" ");
  const sessionId = await startThinking(client);
  await client.call("branch_create", { name: "try" });
  for (let n = 0; n < 40; n += 1) {
    const id = `CARD-${pick(["a", "b", "c", "d", "e", "f"])}`;
    const node = { op: "node_upsert", id, type: pick(["decision", "fact"]), title: say(2), text: say(4) };
    const branch = pick(["main", "main", "try"]);
    const change = pick<() => Promise<unknown>>([
      () =>
        client.call("graph_apply", {
          branch,
          ops: [{ ...node, status: pick(["open", "rejected", "superseded"]) }],
        }),
      () => client.call("graph_apply", { branch, ops: [node] }),
      () => client.reply("graph_apply", { branch, ops: [{ op: "node_delete", id }] }),
      () => client.call("notes_commit", { content: say(5) }),
      () => client.call("thought", { sessionId, thought: say(6) }),
      () => client.call("tasks_create", { title: say(3), description: say(3) }),
      () => client.call("tasks_jobs_create", { title: say(2), prompt: say(4) }),
      () => client.call("graph_merge", { from: "try", into: "main" }),
    ]);
    await change();
  }
  return client;
}

test.skipIf(!hasPostgres)(
  "SQLite and PostgreSQL return the same hits in the same order for any content",
  async () => {
    for (const seed of [1, 2]) {
      const [lite, server] = await Promise.all([live("memory", seed), live("postgres", seed)]);
      const random = seededRandom(seed + 100);
      let found = 0;
      for (let n = 0; n < 25; n += 1) {
        const query = Array.from(
          { length: 1 + Math.floor(random() * 3) },
          () => words[Math.floor(random() * words.length)],
        );
        const asked = {
          query: query.join(" "),
          limit: 50,
          earlier: n % 3 === 0,
          only: n % 2 === 0 ? "memory" : undefined,
        };
        const [one, other] = await Promise.all(
          [lite, server].map((client) => client.call("session.search", asked)),
        );
        expect(shape(other), JSON.stringify(asked)).toEqual(shape(one));
        found += one.hits.length;
      }
      expect(found).toBeGreaterThan(30);
    }
  },
);

/** Words by frequency: in every thought, in every third, and so on, up to a single one. */
const everySo = [1, 3, 17, 90, 700, 4_000];
const [sessions, thoughts] = [4, 1_000];

/** Records more thoughts than a search reads. One word is only in the oldest, another only in the newest. */
async function liveLong(backend: Door) {
  const client = createTestApp({ backend }).modern();
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  for (let session = 0; session < sessions; session += 1) {
    const nodes = Array.from({ length: thoughts }, (_, n) => {
      const number = session * thoughts + n;
      const said = everySo.filter((every) => number % every === 0).map((every) => `every${every}`);
      if (number < 20) said.push("ancient");
      if (number >= sessions * thoughts - 20) said.push("fresh");
      return {
        data: {
          thought: `${said.join(" ")} of number ${number % 10}`,
          thoughtNumber: n + 1,
          totalThoughts: thoughts,
          nextThoughtNeeded: true,
          timestamp: at(number),
        },
      };
    });
    const own = {
      id: `11111111-2222-4333-8444-${String(session).padStart(12, "0")}`,
      title: `session ${session}`,
      tags: [],
      project: session % 2 === 0 ? "even" : "odd",
      status: "active",
      thoughtCount: thoughts,
      branchCount: 0,
      createdAt: at(session),
      updatedAt: at(session),
      lastAccessedAt: at(session),
    };
    const content = JSON.stringify({ version: "1.0", session: own, nodes, exportedAt: at(0) });
    await client.call("session.import", { content });
  }
  return client;
}

test.skipIf(!hasPostgres)(
  "SQLite and PostgreSQL agree on a store with far more thoughts than a search reads",
  async () => {
    const [lite, server] = await Promise.all([liveLong("memory"), liveLong("postgres")]);
    const named = [...everySo.map((every) => `every${every}`), "ancient", "fresh", "nowhere"];
    const queries = [...named, ...named.map((word) => `${word} every17`)];
    let found = 0;
    for (const query of queries)
      for (const more of [{}, { project: "odd" }, { order: "newest" }]) {
        const asked = { query, limit: 50, ...more };
        const [one, other] = await Promise.all(
          [lite, server].map((client) => client.call("session.search", asked)),
        );
        expect(shape(other), JSON.stringify(asked)).toEqual(shape(one));
        found += one.hits.length;
      }
    expect(found).toBeGreaterThan(300);
  },
);

type Hit = Record<string, never>;

/** Removes what differs between stores: session IDs and times. */
const shape = ({ hits, missing }: { hits: Hit[]; missing?: string[] }) => ({
  missing,
  hits: hits.map(
    ({ thought, note, memory, snippet, score, matched, cover, rejected, superseded, conflict, earlier }) => ({
      ...{ thought, note, memory, snippet, score, matched, cover, rejected, superseded, conflict, earlier },
    }),
  ),
});
