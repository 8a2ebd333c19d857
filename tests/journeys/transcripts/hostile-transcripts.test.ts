import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { claudeLine, claudePath, claudeRoot, codexRoot, writeLines } from "../../support/transcripts.ts";
import { everywhere, withTranscripts } from "./with-transcripts.ts";

describe("a hostile transcript", () => {
  const secret = `ghp_${"a1B2c3D4e5".repeat(4)}`.slice(0, 40);
  const evil = `Look\u001b[2J\u202e at \u0000 ${secret}`;
  const deep = `{"type":"user","uuid":"d1","message":{"role":"user","content":${"[".repeat(20_000)}${"]".repeat(20_000)}}}`;
  const hostile = (path: string) => [
    deep,
    '{"__proto__":{"type":"user"},"uuid":"x","type":"constructor","message":{"role":"user","content":"x"}}',
    '{"type":"user","uuid":"y","message":{"__proto__":{"content":"inherited"}}}',
    `{"type":"user","uuid":"z","message":{"role":"user","content":"${"é".repeat(17 * 1024 * 1024)}"}}`,
    "null",
    "[1,2]",
    "not json at all",
    claudeLine("user", "h1", null, evil),
    claudeLine("assistant", "h2", "h1", [{ type: "text", text: `Half a pair: \ud800 in ${path}` }]),
    claudeLine("assistant", "h3", "h2", [{ type: "text", text: 7 }, null, "x", { type: "text" }]),
    { ...claudeLine("user", "h4", "h4", "A child of itself."), timestamp: "+275760-09-13T00:00:00Z" },
    { ...claudeLine("user", "h5", "h3", "Later"), cwd: 7, sessionId: {} },
  ];
  const path = "-home-ada-shop/33333333-2222-4333-8444-555555555555.jsonl";

  test.each(["warn", "redact"])("stores nothing unsafe and shows no secret (%s)", async (secrets) => {
    const { app, client } = withTranscripts("memory", { THOUGHTBOX_SECRETS: secrets });
    writeLines(join(claudeRoot(app), path), hostile(path), '{"type":"user","mess');
    const args = { ref: { path }, root_dir: claudeRoot(app) };
    const imported = await client.reply("transcripts_import", args);
    expect(imported).toMatchObject({
      kind: "result",
      result: { outcome: "imported", skipped: { malformed: 3, too_long: 1, incomplete: 1 } },
    });
    const { sessionId } =
      imported.kind === "result" ? (imported.result as { sessionId: string }) : { sessionId: "" };
    expect(JSON.stringify(imported)).not.toContain(secret);
    expect(JSON.stringify(imported)).toContain("SECRET_MASKED");
    const exported = JSON.stringify(await client.call("session.export", { sessionId, format: "json" }));
    expect(exported).not.toContain(secret);
    expect(exported).not.toMatch(/\\u001b|\\u0000|\u202e|\\ud800|inherited/);
    expect(exported).toContain("A child of itself.");
    expect(await client.call("transcripts_import", args)).toMatchObject({ outcome: "unchanged" });
  });

  test("does not reveal a secret to someone who guesses it or sees the text around it", async () => {
    const { app, client } = withTranscripts();
    writeLines(join(claudeRoot(app), path), hostile(path));
    const root_dir = claudeRoot(app);
    const where = { root_dir, ...everywhere, max_bytes_total: 64 * 1024 * 1024 };
    const guess = await client.call("transcripts_search", { query: secret.slice(0, 8), ...where });
    expect(guess.hits).toEqual([]);
    const beside = await client.call("transcripts_search", { query: "Look", context_chars: 40, ...where });
    expect(beside.hits).toHaveLength(1);
    const opened = await client.call("transcripts_open", { ref: { path, line: 8 }, root_dir });
    for (const answer of [beside, opened]) {
      expect(JSON.stringify(answer)).not.toContain(secret.slice(0, 12));
      expect(JSON.stringify(answer)).not.toMatch(/\\u001b|\u202e/);
    }
  });
});

describe("nothing but transcripts is read", () => {
  test("links, hard links and paths that leave the folder are refused, and links are counted", async () => {
    const { app, client } = withTranscripts();
    const root = claudeRoot(app);
    const outside = join(app.dataDir, "..", "outside");
    mkdirSync(outside, { recursive: true });
    writeLines(join(outside, "canary.jsonl"), [claudeLine("user", "c", null, "the canary pool")]);
    symlinkSync(join(outside, "canary.jsonl"), join(root, "link.jsonl"));
    linkSync(join(outside, "canary.jsonl"), join(root, "second-name.jsonl"));
    symlinkSync(outside, join(root, "linked-folder"));
    const found = await client.call("transcripts_search", { query: "pool", root_dir: root, ...everywhere });
    expect(found.scanned).toMatchObject({ files: 1, refused: { link: 1, hard_link: 1 } });
    expect(JSON.stringify(found)).not.toContain("canary pool");
    for (const path of [
      "link.jsonl",
      "second-name.jsonl",
      "linked-folder/canary.jsonl",
      "../outside/canary.jsonl",
      "-home-ada-shop/../../outside/canary.jsonl",
      join(outside, "canary.jsonl"),
      "canary.txt",
      "x\0.jsonl",
    ])
      for (const name of ["transcripts_open", "transcripts_import"]) {
        const ref = name === "transcripts_open" ? { path, line: 1 } : { path };
        const error = await client.refusal(name, { ref, root_dir: root });
        expect(error.code, path).toBe("INVALID_PAYLOAD");
      }
    for (const root_dir of [outside, "/", `${root}/../..`, "relative", "/proc/self/root"])
      expect((await client.refusal("transcripts_search", { query: "x", root_dir })).code).toBe(
        "INVALID_PAYLOAD",
      );
  });

  test("a missing file is unknown, and a file that is not a transcript is refused", async () => {
    const { app, client } = withTranscripts();
    const gone = await client.refusal("transcripts_import", { ref: { path: "2026/gone.jsonl" } });
    expect(gone.code).toBe("UNKNOWN_ID");
    writeFileSync(join(codexRoot(app), "other.jsonl"), '{"some":"thing"}\n');
    const other = await client.refusal("transcripts_import", { ref: { path: "other.jsonl" } });
    expect(other).toMatchObject({ code: "INVALID_PAYLOAD", recovery: { operation: "transcripts_digest" } });
  });
});

describe("a line of 256 MB at the beginning of a transcript", () => {
  /** Writes zeros that take no space on the disk, followed by the program's lines. */
  function hideBehindLine(file: string, rest: string): void {
    truncateSync(file, 256 * 1024 * 1024);
    appendFileSync(file, `\n${rest}`);
  }

  test("hides neither the next line nor the next transcript and is not loaded into memory", async () => {
    const { app, client } = withTranscripts();
    const root_dir = claudeRoot(app);
    const file = join(root_dir, claudePath);
    const text = readFileSync(file, "utf8");
    writeLines(join(root_dir, "-home-ada-shop", "next.jsonl"), [
      claudeLine("user", "n1", null, "A question about quokkas.", { sessionId: "next" }),
    ]);
    utimesSync(join(root_dir, "-home-ada-shop", "next.jsonl"), 1_700_000_000, 1_700_000_000);
    writeFileSync(file, "");
    hideBehindLine(file, text);
    const before = process.resourceUsage().maxRSS;

    const imported = await client.call("transcripts_import", { ref: { path: claudePath }, root_dir });
    expect(imported).toMatchObject({
      outcome: "imported",
      added: 6,
      transcript: { format: "claude-code" },
      skipped: { too_long: 1 },
    });
    const found = await client.call("transcripts_search", {
      ...{ query: "connections", cwd_prefix: "/home/ada/shop", root_dir },
      max_bytes_total: 512 * 1024 * 1024,
    });
    expect(found.hits).toMatchObject([{ ref: { path: claudePath, line: 7 } }]);
    const next = await client.call("transcripts_search", {
      ...{ query: "quokkas", cwd_prefix: "/home/ada/shop", root_dir },
    });
    expect(next).toMatchObject({
      scanned: { files: 2, truncated: true, stopped_by: "bytes" },
      hits: [{ session: { id: "next" } }],
    });
    const { entries } = await client.call("transcripts_open", {
      ...{ ref: { path: claudePath, line: 7 }, root_dir },
    });
    expect(JSON.stringify(entries)).toContain("The pool holds 10 connections.");
    const { digest } = await client.call("transcripts_digest", { ...everywhere, root_dir, mode: "last" });
    expect(digest[0].message.text).toBe("40 workers share the pool.");
    // The peak is in KiB.
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(128 * 1024);
  });
});
