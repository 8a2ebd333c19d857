import { mkdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createRepository, repositoryOf } from "../../support/git/repository.ts";
import { createTestApp } from "../../support/test-app.ts";

const pool = ["export const pool = {", "  size: 20,", "  idle: 5,", "};", ""].join("\n");

describe.each(["fs", "postgres"] as const)("ground over %s", (backend) => {
  test("a decision, its evidence and what rests on them say if the pinned text changed at HEAD", async () => {
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
    const { signals } = await client.call("context_pack", {});
    expect(signals.decisions).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: upper, ground: "moved" })]),
    );
  });
});

test("without a repository the ground is unknown, and a card without files says nothing about it", async () => {
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
