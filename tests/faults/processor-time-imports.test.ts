import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openBareApp } from "../support/bare-app.ts";
import { runCommand } from "../support/cli.ts";
import { expectShortPieces, takeLongest, takeLongestAfter } from "../support/processor-time/longest-piece.ts";
import { paramsOf } from "../support/raw-client.ts";
import { spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const many = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));

const at = "2026-11-15T12:00:00.000Z";
const id = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
const head = `"version":"1.0","session":${JSON.stringify({
  ...{ id, title: "Long", tags: [], status: "active", thoughtCount: 0, branchCount: 0 },
  ...{ createdAt: at, updatedAt: at, lastAccessedAt: at },
})}`;
const thought = (n: number, more: object = {}) => ({
  ...{ thought: `thought ${n}`, thoughtNumber: n + 1, totalThoughts: n + 1 },
  ...{ nextThoughtNeeded: true, timestamp: at, ...more },
});
const fileOf = (nodes: string): string => `{${head},"nodes":[${nodes}]}`;
const exportOf = (count: number, make: (n: number) => object): string =>
  fileOf(many(count, (n) => JSON.stringify({ data: make(n) })).join(","));
const critique = { text: "weak", model: "m", timestamp: at };

/** Returns the files that a user might import, and the number of thoughts in each, or 0 if it is refused. */
const files: [what: string, thoughts: number, content: () => string][] = [
  ["thoughts from last to first", 6_000, () => exportOf(6_000, (n) => thought(5_999 - n))],
  ["a critique of every thought", 2_500, () => exportOf(2_500, (n) => thought(n, { critique }))],
  ["texts of a megabyte", 12, () => exportOf(12, (n) => thought(n, { thought: "a b\n".repeat(255_000) }))],
  [
    "thousands of branches",
    5_001,
    () => exportOf(5_001, (n) => thought(n, n > 0 ? { branchId: `b${n}`, branchFromThought: 1 } : {})),
  ],
  ["30,000,000 numbers", 0, () => fileOf(`${"1,".repeat(30_000_000)}1`)],
  ["300,000 thoughts and a number", 0, () => fileOf(`${'{"data":{"thought":"a"}},'.repeat(300_000)}1`)],
  [
    "a thought with a long list",
    0,
    () => fileOf(`{"data":{"thought":"a","list":[${"1,".repeat(900_000)}1]}}`),
  ],
  ["a text of 54 MB of escapes", 0, () => fileOf(`{"data":{"thought":"${"\\u0041".repeat(9_000_000)}"}}`)],
  ["1,000,000 keys", 0, () => fileOf(`{${many(1_000_000, (n) => `"k${n}":1`).join(",")}}`)],
  ["60 MB of brackets", 0, () => "[".repeat(60_000_000)],
];

function leaveExport(content: string): string {
  const dataDir = join(tempDir(), "data");
  mkdirSync(join(dataDir, "exports"), { recursive: true });
  writeFileSync(join(dataDir, "exports", "long.json"), content);
  return dataDir;
}

test.each(files)(
  "an export of %s is imported in short steps",
  async (what, thoughts, content) => {
    const text = content();
    const leave = () => leaveExport(text);
    const piece = await takeLongestAfter(what, leave, async (dataDir) => {
      const { client, close } = openBareApp("fs", dataDir);
      const reply = await client.reply("session.import", { path: "long.json" });
      if (thoughts > 0) expect(reply).toMatchObject({ kind: "result", result: { imported: thoughts } });
      else expect(reply).toMatchObject({ kind: "error", error: { code: "INVALID_PAYLOAD" } });
      await close();
    });
    expectShortPieces([piece]);
  },
  120_000,
);

test("a tree of an earlier version is imported in short steps", async () => {
  const tree = join(tempDir(), "sessions");
  const [long, branched] = [join(tree, id), join(tree, id.replace("3", "4"))];
  mkdirSync(long, { recursive: true });
  for (let n = 0; n < 3_000; n += 1)
    writeFileSync(join(long, `${n + 1}.json`), JSON.stringify(thought(n, { critique })));
  for (let n = 0; n < 300; n += 1) {
    mkdirSync(join(branched, "branches", `b${n}`), { recursive: true });
    writeFileSync(join(branched, "branches", `b${n}`, "001.json"), JSON.stringify(thought(0)));
  }
  const names = many(300_000, (n) => `${n}.json`);
  writeFileSync(join(long, "manifest.json"), JSON.stringify({ id, title: "Long", thoughtFiles: names }));
  const piece = await takeLongest("a tree", async () => {
    const { code, out } = await runCommand(["import", tree, "--json"], { dataDir: join(tempDir(), "data") });
    expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 0, imported: 2, thoughts: 3_300 });
  });
  expectShortPieces([piece]);
}, 120_000);

test("SIGTERM ends the import of a 60 MB file", async () => {
  const dataDir = leaveExport(exportOf(400_000, (n) => thought(n)));
  const server = spawnServer(dataDir);
  await server.request("tools/call", paramsOf("modern", { name: "start_new", arguments: {} }));
  const call = { name: "session_import", arguments: { path: "long.json" } };
  void server.request("tools/call", paramsOf("modern", call)).catch(() => {});
  await server.request("ping", paramsOf("modern", {}));
  server.child.kill("SIGTERM");
  expect(await server.exited).toEqual([0, null]);
  const { client, close } = openBareApp("fs", dataDir);
  const { sessions } = await client.call("session.list", { project: "*" });
  await close();
  const imported = sessions.find((session: { id: string }) => session.id === id);
  expect(imported?.thoughtCount ?? 0).toBeLessThan(400_000);
}, 60_000);
