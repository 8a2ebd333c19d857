import { mkdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createRepository, repositoryOf } from "../../support/git/repository.ts";
import { createTestApp } from "../../support/test-app.ts";

const pool = ["export const pool = {", "  size: 20,", "  idle: 5,", "};", ""].join("\n");

describe.each(["fs", "postgres"] as const)("ground over %s", (backend) => {
  test("a decision, its evidence and what rests on them report whether the pinned text changed at HEAD", async () => {
    const app = createTestApp({ backend });
    const client = app.modern();
    const repository = createRepository(repositoryOf(app));
    repository.write("src/pool.ts", pool);
    repository.write("src/other.ts", "export {};\n");
    repository.commit("start", 0);

    const whole = {
      title: "Pool of 20",
      chosen: "20",
      because: "The database allows 25.",
      files: ["src/pool.ts"],
    };
    const { id: decision } = await client.call("decide", whole);
    expect(await client.call("decide", whole)).toMatchObject({ id: decision, recorded: false });
    const { card_id: evidence } = await client.call("think_card", {
      type: "evidence",
      title: "The pool is sized in one line",
      files: ["src/pool.ts:2"],
    });
    const { id: upper } = await client.call("decide", {
      title: "One host is enough",
      chosen: "one host",
      because: "The pool is small.",
      rests_on: [decision],
    });
    const groundOf = async (id: string) => {
      const { ground, ground_moved } = await client.call("open", { id });
      return { ground, ground_moved };
    };
    const holds = { ground: "holds", ground_moved: undefined };
    expect(await groundOf(decision)).toEqual(holds);

    repository.write("src/other.ts", "export const other = 1;\n");
    repository.write("src/pool.ts", `// The pool.\n${pool.replace("idle: 5", "idle: 9")}`);
    expect(await groundOf(decision)).toEqual(holds);
    repository.commit("idle longer", 1);
    expect(await groundOf(decision)).toEqual({ ground: "moved", ground_moved: ["src/pool.ts"] });
    expect(await groundOf(evidence)).toEqual(holds);
    expect(await groundOf(upper)).toEqual({ ground: "moved", ground_moved: [`${decision}: src/pool.ts`] });

    repository.write("src/pool.ts", pool.replace("size: 20", "size: 40"));
    repository.commit("a larger pool", 2);
    expect(await groundOf(evidence)).toEqual({ ground: "moved", ground_moved: ["src/pool.ts:2"] });

    const nowOf = async (id: string) => (await client.call("open", { id })).ground_now;
    expect(await nowOf(evidence)).toEqual(["src/pool.ts:2 is now: size: 40,"]);
    repository.write("src/pool.ts", `// The pool.\n\n${pool.replace("size: 20", "size:   60")}`);
    repository.commit("a comment, and a larger pool", 3);
    expect(await nowOf(evidence)).toEqual(["src/pool.ts:4 is now: size: 60,"]);
    repository.write("src/pool.ts", "export const pool = createPool();\n");
    repository.commit("another pool", 4);
    expect(await nowOf(evidence)).toEqual(["src/pool.ts:2 is gone"]);
    expect(await nowOf(decision)).toBeUndefined();
    repository.git(["rm", "-q", "src/pool.ts"]);
    repository.commit("no pool", 5);
    expect(await nowOf(evidence)).toEqual(["src/pool.ts is deleted"]);
    expect(await nowOf(upper)).toEqual(["src/pool.ts is deleted"]);
    repository.write("src/pool.ts", pool.replace("size: 20", "size: 40"));
    repository.commit("a pool again", 6);

    const recalled = await client.call("recall", { question: "what did we decide about the pool of 20" });
    expect(recalled.decisions).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: decision, ground: "moved" })]),
    );
    const { pinned } = await client.call("why", { file: "src/pool.ts", max_chars: 4_000 });
    expect(pinned).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: decision, ground: "moved" }),
        expect.objectContaining({ id: evidence, ground: "moved" }),
      ]),
    );
    const { decisions } = await client.call("decisions", {});
    expect(decisions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: decision, ground: "moved" }),
        expect.objectContaining({ id: upper, ground: "moved" }),
      ]),
    );
    const { nodes } = await client.call("graph_query", { ids: [decision, upper], marks: true });
    expect(nodes).toMatchObject([{ ground: "moved" }, { ground: "moved", ground_moved: ["src/pool.ts"] }]);
    expect((await client.call("graph_query", { ids: [upper] })).nodes[0]).not.toHaveProperty("ground");
    const { signals } = await client.call("context_pack", {});
    expect(signals.decisions).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: upper, ground: "moved" })]),
    );
  });
});

test("a long chain on a card that many others rest on is followed to its end", async () => {
  const app = createTestApp({ backend: "memory" });
  const client = app.modern();
  createRepository(repositoryOf(app)).commit("start", 0);
  const card = (id: string, meta?: object) => ({
    op: "node_upsert",
    id,
    type: "decision",
    title: id,
    tags: ["ground"],
    ...(meta && { meta }),
  });
  const supports = (from: string, to: string) => ({ op: "edge_upsert", from, rel: "supports", to });
  const chain = Array.from({ length: 40 }, (_, n) => `D${n}`);
  const files = [{ path: "src/pool.ts", blobs: ["0".repeat(40)] }];
  await client.call("init", {});
  await client.call("graph_apply", {
    ops: [
      card("D39", { decision: { files } }),
      ...chain.slice(0, -1).map((id) => card(id)),
      ...chain.slice(1).map((id, n) => supports(id, `D${n}`)),
    ],
  });
  for (let n = 0; n < 12; n += 1)
    await client.call("graph_apply", {
      ops: Array.from({ length: 100 }, (_, m) => [
        card(`leaf-${n}-${m}`),
        supports("D38", `leaf-${n}-${m}`),
      ]).flat(),
    });
  for (const id of ["D0", "leaf-3-7"])
    expect(await client.call("open", { id })).toMatchObject({ ground_moved: ["D39: src/pool.ts"] });
});

test("without a repository the ground is unknown, and a card without files has no ground", async () => {
  const app = createTestApp({ backend: "memory" });
  const client = app.modern();
  const repository = createRepository(repositoryOf(app));
  repository.write("src/pool.ts", pool);
  repository.commit("start", 0);
  const { id } = await client.call("decide", {
    title: "Pool of 20",
    chosen: "20",
    because: "Enough.",
    files: ["src/pool.ts"],
  });
  const { id: bare } = await client.call("decide", {
    title: "Tea",
    chosen: "tea",
    because: "Coffee is out.",
  });
  repository.git(["update-ref", "-d", "HEAD"]);
  expect(await client.call("open", { id })).toMatchObject({ ground: "unknown" });
  expect(await client.call("open", { id: bare })).not.toHaveProperty("ground");
  mkdirSync(repositoryOf(app), { recursive: true });
});
