import { join } from "node:path";
import { expect, test } from "vitest";
import { createBareApp } from "../support/bare-app.ts";
import { hostileTexts } from "../support/processor-time/hostile-texts.ts";
import { expectShortPieces, type Piece, takeLongest } from "../support/processor-time/longest-piece.ts";
import { claudeLine, claudeRoot, writeLines } from "../support/transcripts.ts";

const megabyte = 1024 * 1024;
const fill = (part: string, bytes = 10 * megabyte): string => part.repeat(Math.floor(bytes / part.length));
const user = (content: string) => `{"type":"user","uuid":"x","message":{"role":"user","content":${content}}}`;

/** Lines of ten megabytes and more that slow down careless readers. */
const lines: Readonly<Record<string, string>> = {
  "empty lists": user(`[${fill("[],")}0]`),
  "empty objects": user(`[${fill("{},")}0]`),
  "keys that are all different": user(
    `{${Array.from({ length: 600_000 }, (_, n) => `"k${n}":${n}`).join(",")}}`,
  ),
  "lists in lists": user(`${"[".repeat(5 * megabyte)}${"]".repeat(5 * megabyte)}`),
  "blocks of one letter": user(`[${fill('{"type":"text","text":"a"},')}0]`),
  "one text, spelled out": user(`"${fill("\\u0041")}"`),
  "texts of a megabyte": user(`[${`{"type":"text","text":"${"b ".repeat(megabyte / 2)}"},`.repeat(10)}0]`),
  "quotes and backslashes": user(`"${fill('\\\\\\"')}"`),
  "short lines": fill("{}\n", 2 * megabyte),
  "short messages": fill(`${user('"a"')}\n`, 2 * megabyte),
};

test("no line in a transcript blocks other calls", async () => {
  const app = createBareApp();
  const client = app.modern();
  const begin = claudeLine("user", "u", null, "Where?");
  const pieces: Piece[] = [];
  for (const [index, [what, line]] of Object.entries(lines).entries()) {
    const root_dir = join(claudeRoot(app), `p${index}`);
    const path = `0000000${index}-0000-4000-8000-000000000000.jsonl`;
    writeLines(join(root_dir, path), [begin, line]);
    const budget = { root_dir, cwd_prefix: "/", max_bytes_total: 64 * megabyte };
    for (const [name, args] of [
      ["transcripts_search", { query: "a", ...budget }],
      ["transcripts_open", { root_dir, ref: { path, line: 2 } }],
      ["transcripts_import", { root_dir, ref: { path }, dry_run: true }],
    ] as const)
      pieces.push(await takeLongest(`${name}: ${what}`, () => client.call(name, args)));
  }
  expect(pieces).toHaveLength(3 * Object.keys(lines).length);
  expectShortPieces(pieces);
}, 120_000);

test("a long transcript is imported in short steps, at first and again", async () => {
  const app = createBareApp("fs");
  const root_dir = claudeRoot(app);
  const client = app.modern();
  const write = (path: string) => {
    const texts = Object.values(hostileTexts).map((text) => `t${text(150_000)}`);
    const all = [...texts, ...Array.from({ length: 6_000 }, (_, n) => `Thought ${n}`)];
    writeLines(
      join(root_dir, path),
      all.map((text, n) =>
        claudeLine("assistant", `a${n}`, n === 0 ? null : `a${n - 1}`, [{ type: "text", text }]),
      ),
    );
    return { root_dir, ref: { path } };
  };
  let count = 0;
  const first = await takeLongest("imported", () => {
    count += 1;
    return client.call("transcripts_import", write(`p/0000000${count}-0000-4000-8000-000000000000.jsonl`));
  });
  const again = await takeLongest("imported again", async () => {
    const args = { root_dir, ref: { path: `p/0000000${count}-0000-4000-8000-000000000000.jsonl` } };
    expect(await client.call("transcripts_import", args)).toMatchObject({ outcome: "unchanged" });
  });
  expectShortPieces([first, again]);
}, 120_000);
