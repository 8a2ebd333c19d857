import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { catalogue } from "../../src/operations/catalogue.ts";
import { createBareApp, openBareApp } from "../support/bare-app.ts";
import { runCommand } from "../support/cli.ts";
import { hostileTexts } from "../support/processor-time/hostile-texts.ts";
import { expectShortPieces, type Piece, takeLongest } from "../support/processor-time/longest-piece.ts";
import { nestedBranches } from "../support/processor-time/nested-branches.ts";
import type { TestClient } from "../support/test-app.ts";

const dataDir = mkdtempSync(join(tmpdir(), "thoughtbox-test-"));
const thoughtBytes = 1024 * 1024;
const sessions = { texts: "", branches: "", anchors: "" };

afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** Stores everything that the store accepts and that could slow down reading. */
beforeAll(async () => {
  const { client, close } = openBareApp("fs", dataDir);
  sessions.texts = await start(client, "texts");
  for (const write of Object.values(hostileTexts))
    await client.call("thought", { sessionId: sessions.texts, thought: fit(write), nextThoughtNeeded: true });
  sessions.branches = (
    await client.call("session.import", { content: JSON.stringify(nestedBranches(3_000)) })
  ).sessionId;
  const pools = Array.from({ length: 1_500 }, (_, index) => ({
    sessionTitle: `The pool of host ${index}`,
    tags: [`pool-${index % 100}`],
  }));
  await Promise.all(pools.map((pool) => client.call("start_new", pool)));
  sessions.anchors = await start(client, "anchors");
  const anchors = Array.from({ length: 100 }, (_, index) => `@pool-host-${index}-of-the-many:S1`);
  await client.call("thought", { sessionId: sessions.anchors, thought: anchors.join(" ") });
  await fillMemory(client);
  await close();
}, 120_000);

async function start(client: TestClient, sessionTitle: string): Promise<string> {
  const { sessionId } = await client.call("start_new", { sessionTitle });
  await client.call("cipher", { sessionId });
  return sessionId;
}

/** Returns as much of a text as fits into a thought. A blank text would be refused. */
function fit(write: (length: number) => string): string {
  const whole = write(thoughtBytes);
  const share = (thoughtBytes - 1) / Buffer.byteLength(whole);
  return `t${whole.slice(0, Math.floor(whole.length * share))}`;
}

async function fillMemory(client: TestClient): Promise<void> {
  const texts = Object.values(hostileTexts);
  await Promise.all([
    ...texts.map((write) => client.call("notes_commit", { content: `n${write(80_000)}` })),
    ...texts.map((write) =>
      client.call("think_add_hypothesis", { card: { title: "h", text: write(20_000) } }),
    ),
  ]);
  const node = (index: number) => ({
    op: "node_upsert",
    id: `n${index}`,
    type: "note",
    title: `Node ${index}`,
  });
  const edge = (index: number) => ({
    op: "edge_upsert",
    from: `n${index}`,
    rel: "leads_to",
    to: `n${index + 1}`,
  });
  await client.call("graph_apply", { ops: Array.from({ length: 1_000 }, (_, index) => node(index)) });
  await client.call("graph_apply", { ops: Array.from({ length: 999 }, (_, index) => edge(index)) });
}

const reads = catalogue
  .filter(({ effect, name }) => effect === "read" || name === "session.export")
  .flatMap(({ name, examples }) => examples.map(({ input }) => [name, input] as const));

test("the catalogue contains reads", () => {
  expect(reads.length).toBeGreaterThan(50);
});

test("no read is blocked by the size of what the store contains", async () => {
  const client = createBareApp("fs", dataDir).modern();
  const pieces: Piece[] = [];
  for (const [name, input] of reads)
    for (const [which, sessionId] of "sessionId" in input ? Object.entries(sessions) : [["nothing", ""]]) {
      const args = sessionId === "" ? input : { ...input, sessionId };
      const what = `${name} ${JSON.stringify(input)} of ${which}`;
      pieces.push(await takeLongest(what, () => client.reply(name, args)));
    }
  expectShortPieces(pieces);
}, 120_000);

test("a search for 32 words runs in short steps", async () => {
  const client = createBareApp("fs", dataDir).modern();
  const words = ["error", "a", "pool", "host"];
  const query = Array.from({ length: 32 }, (_, index) => words[index] ?? `${index}`).join(" ");
  expectShortPieces([
    await takeLongest("session.search", () => client.call("session.search", { query, project: "*" })),
  ]);
});

test("many long thoughts are read in short steps", async () => {
  const { client, close } = openBareApp("fs", dataDir);
  const sessionId = await start(client, "long");
  const thought = fit((length) => "many words é of text ".repeat(length / 21));
  for (let n = 0; n < 100; n += 1) await client.call("thought", { sessionId, thought });
  const read = await takeLongest("read_thoughts", () =>
    client.call("read_thoughts", { sessionId, last: 100 }),
  );
  await close();
  const typed = await takeLongest("read", async () => {
    expect(await runCommand(["read", sessionId, "--last", "100"], { dataDir })).toMatchObject({ code: 0 });
  });
  expectShortPieces([read, typed]);
}, 60_000);

test.each([
  "ls --limit 100",
  "show $texts",
  "show $branches",
  "show $anchors",
  "read $texts --last 13",
  "read $branches",
  "search error a pool",
  "analyze $texts",
  "analyze $branches",
  "verify $texts",
  "verify $branches",
  "export $texts --format markdown",
  "export $branches --format cipher",
  "export $anchors",
])("thoughtbox %s shows hostile content in short steps", async (line) => {
  const words = line.replace(/\$(\w+)/g, (_, which: keyof typeof sessions) => sessions[which]).split(" ");
  const piece = await takeLongest(line, async () => {
    expect(await runCommand(words, { dataDir })).toMatchObject({ code: 0 });
  });
  expectShortPieces([piece]);
});
