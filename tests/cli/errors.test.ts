import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { textWidth } from "../../src/cli/rendering/width.ts";
import { runCommand } from "../support/cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { prepareStore } from "./prepared-store.ts";

type Case = [typed: string, code: number, sentence: RegExp];

const cases: Case[] = [
  ["shwo", 2, /There is no command "shwo"\. Did you mean show\?/],
  ["zzzzzz", 2, /There is no command "zzzzzz"\.\n {2}thoughtbox help lists all commands\./],
  ["ls --limmit 3", 2, /ls has no option "--limmit"\. Did you mean --limit\?/],
  ["ls --limit", 2, /--limit needs a value: --limit <number>\./],
  ["ls --limit --tag x", 2, /--limit needs a value/],
  ["ls --limit many", 2, /^thoughtbox: --limit must be a number, .*\n {2}See thoughtbox ls --help\n/],
  ["ls --status actve", 2, /must be active, completed, abandoned or deleted\. Did you mean active\?/],
  ["ls --json=yes", 2, /--json takes no value/],
  ["ls surplus", 2, /ls does not take "surplus"/],
  ["show", 2, /show needs <session>/],
  ["show 5e5", 2, /"5e5" is too short: type at least 4 characters/],
  ["show nothing-like-it", 2, /"nothing-like-it" is not a session ID/],
  ["show dead", 1, /No session has an ID that begins with "dead"/],
  ["show 5e551", 1, /Several session IDs begin with "5e551": 5e551011, 5e551022\./],
  ["show 00000000-0000-4000-8000-000000000000", 1, /No session has the ID .*\n {2}.*thoughtbox ls/],
  ["read latest 99", 1, /There is no thought 99\.\n {2}.*thoughtbox show [0-9a-f-]{36}\n/],
  ["search", 2, /Enter words to search for, or at least --type, --tag, --since or --until\./],
  [
    "search x --since yesterday",
    2,
    /^thoughtbox: --since must be a date [^.]*Z, not "yesterday"\.\n {2}See thoughtbox search --help/,
  ],
  ["search '!!!'", 2, /query contains no word/],
  ["search ''", 2, /Enter words to search for/],
  ["read latest 1 --last 2", 2, /^thoughtbox: Pass either a thought number or --last\.\n/],
  ["read latest 1 -n 2", 2, /^thoughtbox: Pass either a thought number or -n\.\n/],
  [`note x --title ${"t".repeat(501)}`, 2, /^thoughtbox: --title must have at most 500 characters/],
  ["import --from codex --into 'a b'", 1, /^thoughtbox: --into is "a b"\. It must be 1 to 64 letters/],
  ["watch latest -n 9999999", 2, /^thoughtbox: -n must be at most 999999, not 9999999\.\n/],
  ["serve --port nope", 2, /^thoughtbox: --port must be a number, not "nope"\./],
  ["export latest --format docx", 2, /--format is "docx". It must be json, markdown or cipher/],
  ["export latest --to data/thoughtbox.db/s.json", 2, /thoughtbox\.db" is a file, so nothing can be written/],
  [
    "notebook new --from nowhere.src.md",
    1,
    /There is no file "nowhere\.src\.md"\.\n {2}Pass a \.src\.md file\./,
  ],
  ["import nowhere", 1, /There is no file or directory "nowhere"/],
  ["models five-why", 2, /There is no model "five-why"\. Did you mean five-whys\?\n {2}thoughtbox models/],
  ["knowledge nothing", 1, /There is no note "nothing"/],
  ["verify latest --all", 2, /Pass a session or --all, not both/],
  ["restore nowhere.jsonl", 1, /nowhere\.jsonl" cannot be read \(ENOENT\)/],
  ["backup nowhere/copy.db", 1, /The backup cannot be written \(ENOENT\)/],
  ["dump nowhere/all.jsonl", 1, /The file cannot be written \(ENOENT\)/],
  ["completion tcsh", 2, /The shell must be bash, zsh or fish, not "tcsh"\./],
  ["git nope", 2, /git does not take "nope"\. It takes scan, hook or trailer\./],
  ["git hook nope", 2, /git hook needs install or remove, not "nope"\./],
  ["log --nope", 2, /log has no option "--nope"\./],
  ["help memry", 2, /There is no command, operation or topic "memry"\. Did you mean the topic memory\?/],
  ["help zzzz", 2, /There is no command, operation or topic "zzzz"\./],
  ["help shwo", 2, /Did you mean show\?/],
  ["help opne", 2, /There is no command, operation or topic "opne"\. Did you mean open\?/],
  ["ls -n 0", 2, /^thoughtbox: -n must be at least 1, not 0\./],
  ["search x -n abc", 2, /^thoughtbox: -n must be a number, not "abc"\.\n {2}See thoughtbox search --help/],
  ["search -n abc", 2, /^thoughtbox: -n must be a number, not "abc"\./],
  ["read latest -n", 2, /^thoughtbox: -n needs a value: -n <number>\./],
  [
    "decisions -n 0",
    2,
    /^thoughtbox: -n must be from 1 to 200, not 0\.\n {2}See thoughtbox decisions --help/,
  ],
  ["decisions --limit 1000", 2, /^thoughtbox: --limit must be from 1 to 200, not 1000\./],
  [
    "decisions --since foo",
    2,
    /^thoughtbox: --since is "foo"\. It must be an ISO time, .*\n {2}See thoughtbox decisions --help/,
  ],
  ["git scan --commits abc", 2, /^thoughtbox: --commits must be a number, not "abc"\./],
  [
    `rename latest ${"x".repeat(400)}`,
    2,
    /^thoughtbox: title must have at most 200 characters .*\n {2}See thoughtbox rename --help/,
  ],
  ["archive --before x", 2, /^thoughtbox: --before is "x"\. It must be a day, such as 2026-01-31\./],
  ["move --check --to postgres", 1, /^thoughtbox: --to postgres needs DATABASE_URL\.\n {2}Set DATABASE_URL/],
  ["backup data/thoughtbox.db", 1, /^thoughtbox: The file ".*thoughtbox\.db" already exists\./],
  ["serve --host not.a.host --port 0", 1, /^thoughtbox: --host is "not\.a\.host", which is not an address/],
  ["--data-dir /dev/null note x", 1, /\n {2}Point --data-dir to your own directory\./],
  [
    "tag latest -x",
    2,
    /tag has no option "-x"\.\n {2}If it is not an option, put -- before it: thoughtbox tag <session> -- -x/,
  ],
  [
    "--data-dir",
    2,
    /^thoughtbox: No command was given, only the option --data-dir\.\n {2}Add a command: thoughtbox --data-dir <place> ls/,
  ],
  ["--project shop", 2, /^thoughtbox: No command was given, only the option --project\./],
  [
    "--port 3",
    2,
    /^thoughtbox: No command was given\. --port is an option of serve\.\n {2}See thoughtbox serve --help/,
  ],
  ["--colour always ls", 2, /^thoughtbox: There is no global option "--colour"\. Did you mean --color\?/],
  [
    "load_context",
    2,
    /^thoughtbox: "load_context" is an operation for agents, not a command\.\n {2}Run it with: thoughtbox call load_context/,
  ],
  ["session.search x", 2, /Run it with: thoughtbox call session\.search/],
  ["diff", 2, /Run it with: thoughtbox call diff/],
  ["call thought not-json", 2, /neither a JSON object nor field=value/],
];

describe("an error is one sentence with the next step", () => {
  test.each(cases)("thoughtbox %s", async (typed, code, sentence) => {
    const dataDir = await prepareStore();
    const outcome = await runCommand(typed, { dataDir });
    expect(outcome.err).toMatch(sentence);
    expect(outcome.code).toBe(code);
    expect(outcome.out).toBe("");
    expect(outcome.err).toMatch(/^thoughtbox: [^\n]+\n(?: {2}[^\n]+\n)?$/);
    expect(outcome.err).not.toMatch(/\bat .*:\d+:\d+/);
  });

  test("with --json the error is JSON too", async () => {
    const { code, out, err } = await runCommand("show dead --json", { dataDir: await prepareStore() });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(JSON.parse(err).error).toMatchObject({
      message: expect.stringContaining("begins with"),
      next: expect.stringContaining("thoughtbox ls"),
    });
  });
});

describe("in a terminal of 60 columns", () => {
  test.each(cases)("the error of thoughtbox %s fits, and its commands are not broken", async (typed) => {
    const dataDir = await prepareStore();
    const { err: unwrapped } = await runCommand(typed, { dataDir });
    const { err } = await runCommand(typed, { dataDir, columns: 60, errorIsTerminal: true });
    const lines = err.trimEnd().split("\n");
    for (const line of lines)
      if (!line.startsWith("  thoughtbox ")) expect(textWidth(line)).toBeLessThanOrEqual(60);
    const words = (text: string) => text.split(/\s+/).filter(Boolean);
    expect(words(err)).toEqual(words(unwrapped));
  });

  test("config shows complete values and the source of each one that is set", async () => {
    const dataDir = join(tempDir(), "data");
    const env = { THOUGHTBOX_PROJECT: "shop" };
    const { out } = await runCommand("config", { dataDir, columns: 60, env });
    for (const line of out.split("\n")) expect(textWidth(line)).toBeLessThanOrEqual(60);
    expect(out).toMatch(/^project {22}shop\n {29}from THOUGHTBOX_PROJECT$/m);
    expect(out.replaceAll(/\n {29}/g, "")).toContain(`${dataDir}from THOUGHTBOX_DATA_DIR`);
    expect(out).toMatch(/^projectLock {18}false\nworkspace {20}–$/m);
  });

  test("serve wraps its lines, except commands to copy", async () => {
    const env = { PORT: "0", THOUGHTBOX_OBSERVATORY_PORT: "0" };
    const stop = AbortSignal.abort();
    const dataDir = join(tempDir(), "data");
    const { err } = await runCommand("serve", { dataDir, env, columns: 60, errorIsTerminal: true, stop });
    const wide = err.split("\n").filter((line) => line.length > 60);
    for (const line of wide) expect(line).toMatch(/^thoughtbox | claude mcp add /);
    expect(err).toMatch(/^ {2}access: .+\n {4}\S/m);
  });
});

test.each([
  ["remove", "rm"],
  ["del", "rm"],
  ["status", "doctor"],
  ["start", "serve"],
  ["find", "search"],
  ["grep", "search"],
  ["setup", "connect"],
  ["install", "connect"],
  ["init", "connect"],
  ["history", "show"],
  ["cat", "read"],
  ["run", "serve"],
  ["graph", "show"],
  ["mcp", "stdio"],
  ["stats", "doctor"],
  ["notebk", "notebook"],
])("thoughtbox %s suggests %s", async (typed, command) => {
  const { code, err } = await runCommand(typed, { dataDir: await prepareStore() });
  expect(code).toBe(2);
  expect(err).toContain(`Did you mean ${command}?`);
});

test.each(["mv", "kiln", "tush", "gi", "cal", "rms", "rn", "mova", "foo", "do", "up"])(
  "thoughtbox %s suggests no command that removes or moves data",
  async (typed) => {
    const { code, err } = await runCommand(typed, { dataDir: await prepareStore() });
    expect(code).toBe(2);
    expect(err).not.toMatch(/Did you mean (?:rm|delete|trash|move|restore|archive|migrate|undelete)\?/);
  },
);

test.each(["delt", "delet", "mov", "fnd"])("thoughtbox %s suggests no unrelated operation", async (typed) => {
  const { code, err } = await runCommand(typed, { dataDir: await prepareStore() });
  expect(code).toBe(2);
  expect(err).not.toContain("Did you mean");
});

test("call prints an error as a client would receive it", async () => {
  const { code, out, err } = await runCommand("call nope", { dataDir: await prepareStore() });
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(JSON.parse(err).error).toMatchObject({ code: "INVALID_OPERATION", recovery: { operation: "help" } });
});

test("a misspelt verb is enough to suggest the operation", async () => {
  const { err } = await runCommand("call serch", { dataDir: await prepareStore() });
  expect(JSON.parse(err).error.message).toBe('There is no operation "serch". Did you mean session.search?');
});

describe("an empty store", () => {
  test.each(["ls", "search something", "knowledge", "verify", "doctor"])("thoughtbox %s", async (typed) => {
    const { code, out, err } = await runCommand(typed, { dataDir: join(tempDir(), "data") });
    expect(code, err).toBe(0);
    expect(out).not.toBe("");
  });

  test("has no latest session", async () => {
    const { code, err } = await runCommand("show latest", { dataDir: join(tempDir(), "data") });
    expect(code).toBe(1);
    expect(err).toMatch(/There are no sessions yet/);
  });
});

test("an error names the option if it was used, and the variable if not", async () => {
  const env = { HOST: "not.a.host", PORT: "0", THOUGHTBOX_OBSERVATORY_PORT: "0" };
  const dataDir = join(tempDir(), "data");
  expect((await runCommand("serve", { dataDir, env })).err).toContain('HOST is "not.a.host"');
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  const next = port < 65_535 ? port + 1 : port - 1;
  const inUse = (suggested: string) =>
    `port ${port} is in use. Stop the other program, or choose another port: ${suggested}\n`;
  expect((await runCommand(`serve --port ${port}`, { dataDir })).err).toContain(
    inUse(`thoughtbox serve --port ${next}`),
  );
  expect((await runCommand("serve", { dataDir, env: { PORT: String(port) } })).err).toContain(
    inUse(`PORT=${next} thoughtbox serve`),
  );
});

test("export refuses another file's name, and names the option", async () => {
  const dataDir = await prepareStore();
  const taken = join(dataDir, "..", "taken.json");
  writeFileSync(taken, "{}");
  const { err } = await runCommand(["export", "latest", "--to", taken], { dataDir });
  expect(err).toContain("already exists");
  expect(err).toContain("\n  Choose another name with --to.\n");
});

test("an invalid setting is reported in one sentence", async () => {
  const env = { PORT: "many" };
  const { code, err } = await runCommand("ls", { dataDir: join(tempDir(), "data"), env });
  expect(code).toBe(1);
  expect(err).toBe('thoughtbox: PORT is "many". It must be a whole number from 0 to 65535.\n');
});

test("config never shows the token", async () => {
  const env = { THOUGHTBOX_TOKEN: "very-secret-token" };
  for (const typed of ["config", "config --json"]) {
    const { out } = await runCommand(typed, { dataDir: join(tempDir(), "data"), env });
    expect(out).toContain("THOUGHTBOX_TOKEN");
    expect(out).not.toContain("very-secret");
  }
});
