import { expect, test } from "vitest";
import { runCommand } from "../../support/cli.ts";
import { at, createRepository, repositoryOf, withRepository } from "../../support/git/repository.ts";
import { backends, createTestApp } from "../../support/test-app.ts";

test.each(backends)(
  "on %s, why shows the decisions that name the file or commit with their state, and accepts a decision's ID",
  async (backend) => {
    const app = createTestApp({ backend });
    const { client } = await withRepository(app);
    const asked = { file: "src/pool.ts", line: 2, max_chars: 4_000 };
    const before = await client.call("why", asked);
    expect(before.pinned).toBeUndefined();
    const sha: string = before.answers[0].commit.sha;

    const size = { title: "One connection per worker", chosen: "40", because: "Workers wait otherwise." };
    const { id: named } = await client.call("decide", { ...size, files: ["src/pool.ts:2"] });
    const release = { title: "Release on Friday", chosen: "Friday", because: "Support is there." };
    const { id: shipped } = await client.call("decide", { ...release, commit: sha });
    await client.call("decide", { title: "Paint it blue", chosen: "blue", because: "Nicer." });

    for (const place of [asked, { file: "src/pool.ts", max_chars: 4_000 }, { commit: sha, max_chars: 4_000 }])
      expect((await client.call("why", place)).pinned, JSON.stringify(place)).toMatchObject([
        { id: shipped, state: "holds" },
        { id: named, state: "holds", ground: "holds" },
      ]);

    await client.call("decide", {
      title: "Release on Monday",
      chosen: "Monday",
      because: "Friday is a holiday.",
      reverses: [shipped],
    });
    expect((await client.call("why", asked)).pinned).toMatchObject([
      { id: shipped, state: "reversed" },
      { id: named, state: "holds" },
    ]);

    const byId = await client.call("why", { id: named, max_chars: 4_000 });
    expect(byId.answers).toMatchObject([{ file: "src/pool.ts", lines: "2", by: { how: "sure" } }]);
    expect(byId.pinned).toMatchObject([{ id: shipped }, { id: named, title: size.title }]);
    expect((await client.call("why", { id: shipped })).answers[0]).toMatchObject({ commit: { sha } });
    expect(await client.refusal("why", { id: "DEC-0000000000" })).toMatchObject({ code: "UNKNOWN_ID" });
  },
);

test.each(["memory", "postgres"] as const)(
  "on %s, a decision is found by an unusual file name, however many newer ones exist",
  async (backend) => {
    const app = createTestApp({ backend });
    const client = app.modern();
    const repository = createRepository(repositoryOf(app));
    const file = 'src/50%_of "Ümläut" pools.ts';
    repository.write(file, "export const pools = 2;\n");
    repository.commit("feat: more pools", 0);
    const pools = { title: "Two pools", chosen: "2", because: "One was slow.", files: [file] };
    const { id } = await client.call("decide", pools);
    for (let n = 0; n < 21; n += 1)
      await client.call("graph_apply", {
        ops: Array.from({ length: 100 }, (_, m) => ({
          op: "node_upsert",
          ...{ id: `D${n}-${m}`, type: "decision", title: "Newer" },
          meta: { decision: { files: [{ path: "src/50-of-pools.ts" }] } },
        })),
      });
    expect((await client.call("why", { file })).pinned).toMatchObject([{ id, ground: "holds" }]);
    expect((await client.call("why", { id, max_chars: 4_000 })).pinned).toMatchObject([{ id }]);
  },
  60_000,
);

test("the command lists decisions below the reasons", async () => {
  const app = createTestApp({ backend: "fs" });
  const { client } = await withRepository(app);
  const { id } = await client.call("decide", {
    title: "One connection per worker",
    chosen: "40",
    because: "Workers wait otherwise.",
    files: ["src/pool.ts"],
  });
  await app.close();
  const where = { dataDir: app.dataDir, directory: repositoryOf(app), now: at(60) };
  for (const place of ["src/pool.ts:2", id]) {
    const { out, code } = await runCommand(["why", place], where);
    expect([code, out]).toEqual([0, expect.stringContaining(`\n\n  ${id} One connection per worker\n`)]);
  }
  const { out } = await runCommand(["why", "--diff", "HEAD~1", "--format", "markdown"], where);
  expect(out).toMatch(/^### Why these lines/);
  expect(out).toContain(
    `\n\nDecisions and cards about these files:\n\n- \`${id}\` One connection per worker\n`,
  );
  const repository = createRepository(repositoryOf(app));
  repository.write("src/pool.ts", "export const pool = { size: 20 };\n");
  repository.commit("fix: a smaller pool", 20);
  expect((await runCommand(["why", "src/pool.ts:1"], where)).out).toContain(
    `\n  ${id} One connection per worker · the file changed since\n`,
  );
  expect((await runCommand(["why", "src/pool.ts:1"], { ...where, columns: 36 })).out).toContain(
    `\n  ${id} One connection per…\n    the file changed since\n`,
  );
});
