import { appendFileSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type CliOptions, runCommand } from "../support/cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import {
  claudeLine,
  claudePath,
  claudeRoot,
  claudeSession,
  codexRoot,
  writeLines,
  writeTranscripts,
} from "../support/transcripts.ts";

const now = "2026-03-10T12:00:00Z";

/** Writes Claude Code transcripts in three projects, from 1, 3 and 9 March, and one Codex transcript. */
function prepare() {
  const dataDir = join(tempDir(), "data");
  writeTranscripts({ dataDir });
  const root = claudeRoot({ dataDir });
  // The files are newer, as after a move to another machine. Only the times of the messages count.
  const write = (name: string, cwd: string, day: string, text: string) => {
    const timestamp = new Date(day).toISOString();
    writeLines(join(root, name), [claudeLine("user", "u", null, text, { cwd, sessionId: name, timestamp })]);
  };
  utimesSync(join(root, claudePath), new Date("2026-03-01"), new Date("2026-03-01"));
  write("-home-ada-blog/two.jsonl", "/home/ada/blog", "2026-03-03", "Which font?");
  write("-home-ada-shop-api/three.jsonl", "/home/ada/shop-api", "2026-03-09", "Which port?");
  const run = (line: string, options: Partial<CliOptions> = {}) =>
    runCommand(`thoughtbox ${line}`, { dataDir, now, ...options });
  const titles = async (line = "ls --json"): Promise<string[]> =>
    JSON.parse((await run(line)).out).sessions.map(({ title }: { title: string }) => title);
  return { dataDir, root, run, titles };
}

const [shop, blog, api] = ["Why does checkout time out?", "Which font?", "Which port?"] as const;

test("imports every transcript of the program once and reports the result", async () => {
  const { run, titles, root } = prepare();
  const first = await run("import --from claude-code");
  expect(first.code, first.err).toBe(0);
  expect(first.out).toBe(
    [
      "✓ 3 transcripts from Claude Code (2.8 KB): 3 new.",
      "  8 thoughts added, with 1 failed command, 1 correction.",
      "  Skipped 1 line: file-history-snapshot 1.",
      "",
      "List the sessions: thoughtbox ls --tag transcript",
      "",
    ].join("\n"),
  );
  expect((await titles()).sort()).toEqual([api, blog, shop].sort());
  const more = claudeLine("assistant", "a5", "a4", [{ type: "text", text: "Raised it." }]);
  appendFileSync(join(root, claudePath), `${JSON.stringify(more)}\n`);
  const again = await run("import --from claude-code");
  expect(again.out).toContain("1 continued, 2 already there.");
  expect(again.out).toContain("1 thought added");
  expect(await titles()).toHaveLength(3);
});

test.each([
  ["--since 2026-03-02", [blog, api]],
  ["--since 2d", [api]],
  ["--since 1w", [api]],
  ["--since 2w", [shop, blog, api]],
  ["--since 30h", []],
  ["--only blog", [blog]],
  ["--only shop", [shop]],
  ["--only /home/ada/shop", [shop]],
  ["--only /home/ada", [shop, blog, api]],
  ["--only nothing", []],
  ["--since 2026-03-02 --only shop-api", [api]],
] as const)(
  "import --from claude-code %s imports only the transcripts that match",
  async (options, expected) => {
    const { run, titles } = prepare();
    const { code, out } = await run(`import --from claude-code ${options}`);
    expect(code).toBe(0);
    if (expected.length === 0)
      expect(out.replaceAll("\n", " ")).toMatch(
        new RegExp(`^No transcripts from Claude Code that match ${options.split(" ")[0]} were found in `),
      );
    else expect((await titles()).sort()).toEqual([...expected].sort());
  },
);

test.each([
  [".", [shop]],
  ["./", [shop]],
  ["../blog", [blog]],
  ["..", [shop, blog, api]],
] as const)("--only %s is relative to the current directory", async (place, expected) => {
  const { root, run, titles, dataDir } = prepare();
  const home = dirname(dataDir);
  const here = join(home, "shop");
  mkdirSync(here);
  for (const file of readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".jsonl"),
  ))
    writeFileSync(
      join(root, file),
      readFileSync(join(root, file), "utf8").replaceAll('"/home/ada/', `"${home}/`),
    );
  const { code, err } = await run(`import --from claude-code --only ${place}`, { directory: here });
  expect(code, err).toBe(0);
  expect((await titles("ls --project _default --json")).sort()).toEqual([...expected].sort());
});

test("--into sets the project, and moves sessions that are already imported", async () => {
  const { run, titles } = prepare();
  await run("import --from claude-code --only blog --into archive");
  await run("import --from claude-code --only shop");
  expect(await titles("ls --project archive --json")).toEqual([blog]);
  const trial = await run("import --from claude-code --only blog --into elsewhere --dry-run");
  expect(trial.out).toContain("1 to move to elsewhere");
  expect(await titles("ls --project archive --json")).toEqual([blog]);
  const again = await run("import --from claude-code --only blog --into elsewhere");
  expect(again.out).toContain("1 moved to elsewhere");
  expect(await titles("ls --project archive --json")).toEqual([]);
  expect(await titles("ls --project elsewhere --json")).toEqual([blog]);
  const third = await run("import --from claude-code --only blog --into elsewhere");
  expect(third.out).toContain("1 already there");
  expect((await run("import --from claude-code --only blog")).out).toContain("1 already there");
  expect(await titles("ls --project elsewhere --json")).toEqual([blog]);
});

test("imports only Codex's transcripts from Codex, and does not count its sub-agents", async () => {
  const { run, titles, dataDir } = prepare();
  writeLines(join(codexRoot({ dataDir }), "2026/03/02/rollout-agent.jsonl"), [
    {
      timestamp: now,
      type: "session_meta",
      payload: { id: "x", source: { subagent: { thread_spawn: { parent_thread_id: "0190-shop" } } } },
    },
  ]);
  const { out } = await run("import --from codex --json");
  expect(JSON.parse(out)).toMatchObject({ program: "codex", transcripts: 1, imported: 1, refused: [] });
  expect(await titles("ls --tag codex --json")).toEqual([shop]);
});

test("reports a transcript that cannot be imported, imports the others, and exits with 1", async () => {
  const { run, root, titles } = prepare();
  await run("import --from claude-code --only shop");
  writeFileSync(
    join(root, claudePath),
    `${JSON.stringify(claudeLine("user", "u1", null, "Something else."))}\n`,
  );
  const { code, out } = await run("import --from claude-code");
  expect(code).toBe(1);
  expect(out).toContain("2 new, 1 refused");
  expect(out).toContain("Refused");
  expect(out.replaceAll(/\s+/g, " ")).toContain("thought 1 differs from the transcript.");
  expect(await titles()).toHaveLength(3);
});

test("shows progress on a terminal but not in a pipe", async () => {
  const { run, root } = prepare();
  writeLines(join(root, "-home-ada-shop", "large.jsonl"), [
    ...claudeSession(),
    claudeLine("user", "r", "a4", [
      { type: "tool_result", tool_use_id: "t", content: "x".repeat(3_000_000) },
    ]),
  ]);
  const seen = await run("import --from claude-code", { errorIsTerminal: true });
  expect(seen.err).toMatch(/importing transcripts, MB {2}[█░]+ {2}\d of 3/);
  expect(seen.err.endsWith("\r\x1b[2K")).toBe(true);
  expect((await run("import --from claude-code")).err).toBe("");
});

test("shows the progress of small transcripts in KB", async () => {
  const { run, root } = prepare();
  writeLines(join(root, "-home-ada-shop", "small.jsonl"), claudeSession());
  const { err } = await run("import --from claude-code", { errorIsTerminal: true });
  expect(err).toMatch(/importing transcripts, KB {2}░+ {2}0 of [1-9]\d*/);
});

test("Ctrl-C stops the import, and the next run imports the rest", async () => {
  const { run, titles } = prepare();
  const stop = AbortSignal.abort();
  expect((await run("import --from claude-code", { stop })).code).not.toBe(0);
  expect(await titles()).toEqual([]);
  expect((await run("import --from claude-code")).out).toContain("3 new");
});

test.each([
  ["import --from claude-code --since yesterday", /--since is "yesterday"/],
  ["import --from cursor", /cursor/],
  ["import --from codex some/place", /either a file or directory, or --from/],
  ["import --since 2d", /--since needs --from/],
  ["import --into archive", /--into needs --from/],
])("%s is refused with the reason", async (line, told) => {
  const { run } = prepare();
  const { code, err } = await run(line);
  expect(code).toBe(2);
  expect(err).toMatch(told);
});

test("--dry-run reports what would be imported, and stores nothing", async () => {
  const { run, titles } = prepare();
  const { code, out } = await run("import --from claude-code --dry-run");
  expect(code).toBe(0);
  expect(out).toBe(
    [
      "✓ 3 transcripts from Claude Code (2.8 KB): 3 new.",
      "  Nothing was stored.",
      "  8 thoughts to add, with 1 failed command, 1 correction.",
      "  Skipped 1 line: file-history-snapshot 1.",
      "",
    ].join("\n"),
  );
  expect(await titles()).toEqual([]);
  expect((await run("import some-folder --dry-run")).err).toContain("--dry-run needs --from");
});

test("recognises a transcript that is given as a file, and names the command for it", async () => {
  const { run, root, dataDir } = prepare();
  const codex = join(codexRoot({ dataDir }), "2026/03/02/rollout-2026-03-02-shop.jsonl");
  for (const [file, program, option] of [
    [join(root, claudePath), "Claude Code", "claude-code"],
    [codex, "Codex", "codex"],
  ] as const) {
    const { code, err } = await run(`import ${file}`);
    expect(code).toBe(1);
    expect(err).toContain(`is a transcript from ${program}.`);
    expect(err).toContain(`thoughtbox import --from ${option}`);
  }
});
