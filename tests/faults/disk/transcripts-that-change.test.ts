import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createBareApp } from "../../support/bare-app.ts";
import { claudeLine, claudeRoot, writeLines } from "../../support/transcripts.ts";

const path = "-home-ada-shop/44444444-2222-4333-8444-555555555555.jsonl";
const lines = Array.from({ length: 4_000 }, (_, n) =>
  JSON.stringify(
    claudeLine("assistant", `a${n}`, n === 0 ? null : `a${n - 1}`, [
      { type: "text", text: `Thought ${n} ${"and so on ".repeat(20)}` },
    ]),
  ),
);

/** Imports a transcript of more than one chunk, and changes it as soon as the first chunk has been read. */
async function importWhile(change: (file: string) => void) {
  const app = createBareApp();
  const root_dir = claudeRoot(app);
  const file = join(root_dir, path);
  writeLines(file, lines);
  let isChanged = false;
  const progress = () => {
    if (isChanged) return;
    isChanged = true;
    change(file);
  };
  const client = app.modern();
  const args = { ref: { path }, root_dir };
  const reply = await client.reply("transcripts_import", args, { progress });
  expect(isChanged).toBe(true);
  return { reply, file, again: () => client.call("transcripts_import", args), client };
}

test("a transcript that is deleted while it is read is read to its end", async () => {
  const { reply } = await importWhile((file) => rmSync(file));
  expect(reply).toMatchObject({
    kind: "result",
    result: { outcome: "imported", added: 4_000, complete: true },
  });
});

test("a growing transcript is read up to its initial length, and the next import reads the rest", async () => {
  const { reply, again } = await importWhile((file) => {
    const next = claudeLine("assistant", "later", "a3999", [{ type: "text", text: "Later." }]);
    appendFileSync(file, `${JSON.stringify(next)}\n`);
  });
  expect(reply).toMatchObject({ kind: "result", result: { outcome: "imported", added: 4_000 } });
  expect(await again()).toMatchObject({ outcome: "continued", added: 1 });
});

test("a shrinking transcript is read to its end, reported as incomplete, and can be imported again", async () => {
  const { reply, file, again, client } = await importWhile((shrinking) => truncateSync(shrinking, 300_000));
  expect(reply).toMatchObject({ kind: "result", result: { outcome: "imported", complete: false } });
  writeLines(file, lines);
  const { sessionId, outcome, thoughts } = await again();
  expect({ outcome, thoughts }).toEqual({ outcome: "continued", thoughts: 4_000 });
  expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true });
});

test("a transcript whose text is replaced is refused, and the stored text is kept", async () => {
  const { file, again, client } = await importWhile(() => {});
  writeLines(file, [lines[0]?.replace("Thought 0", "Another")]);
  const { error } = (await client.reply("transcripts_import", {
    ref: { path },
    root_dir: dirname(dirname(file)),
  })) as { error: { code: string } };
  expect(error.code).toBe("CONFLICT");
  writeLines(file, lines);
  expect(await again()).toMatchObject({ outcome: "unchanged" });
});

test("reading a directory of a gigabyte respects the byte budget", async () => {
  const app = createBareApp();
  const root_dir = claudeRoot(app);
  mkdirSync(join(root_dir, "many"), { recursive: true });
  const head = `${JSON.stringify(claudeLine("user", "u", null, "The needle is here."))}\n`;
  for (let n = 0; n < 64; n += 1) {
    const file = join(root_dir, "many", `${String(n).padStart(8, "0")}.jsonl`);
    writeFileSync(file, head);
    // Adds a hole, which is read at its full size but takes no space on the disk.
    truncateSync(file, 16 * 1024 * 1024);
  }
  const client = app.modern();
  const where = { root_dir, cwd_prefix: "/" };
  for (const [name, args] of [
    ["transcripts_search", { query: "nowhere to be found" }],
    ["transcripts_digest", {}],
  ] as const) {
    const { scanned } = await client.call(name, { ...where, ...args });
    expect(scanned, name).toMatchObject({ truncated: true, stopped_by: "bytes" });
    expect(scanned.bytes, name).toBeLessThanOrEqual(16 * 1024 * 1024);
    const small = await client.call(name, { ...where, ...args, max_bytes_total: 100_000 });
    expect(small.scanned.bytes, name).toBeLessThanOrEqual(100_000);
    const few = await client.call(name, { ...where, ...args, max_files: 1, max_bytes_total: 1_073_741_824 });
    expect(few.scanned, name).toMatchObject({ files: 1, stopped_by: "files", truncated: true });
  }
  const found = await client.call("transcripts_search", { ...where, query: "needle", hits_limit: 1 });
  expect(found.hits).toHaveLength(1);
});

test("a pipe among the transcripts blocks nothing", async () => {
  const app = createBareApp();
  const root_dir = claudeRoot(app);
  mkdirSync(root_dir, { recursive: true });
  execFileSync("mkfifo", [join(root_dir, "pipe.jsonl")]);
  const client = app.modern();
  const { scanned } = await client.call("transcripts_search", { query: "x", root_dir, cwd_prefix: "/" });
  expect(scanned).toMatchObject({ files: 0, refused: { not_a_file: 1 } });
  for (const [name, place] of [
    ["transcripts_open", { line: 1 }],
    ["transcripts_import", {}],
  ] as const) {
    const { code } = await client.refusal(name, { root_dir, ref: { path: "pipe.jsonl", ...place } });
    expect(code).toBe("INVALID_PAYLOAD");
  }
});
