import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { parse as parseJson } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { describe, expect, test } from "vitest";
import { clientNames } from "../../src/kernel/client-names.ts";
import { type CliOptions, runCommand } from "../support/cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { type Fixture, unusable, usable } from "./config-fixtures.ts";

/** Creates a home in which every client has its folder. */
function openHome() {
  const home = tempDir();
  const dataDir = join(home, "data");
  const folders = [
    "claude",
    "codex",
    ".gemini",
    ".qwen",
    ".copilot",
    ".config/opencode",
    ".config/Code/User",
  ];
  for (const folder of [...folders, ".cursor", ".config/Claude"])
    mkdirSync(join(home, folder), { recursive: true });
  const run = async (line: string, options: Partial<CliOptions> = {}) => {
    const outcome = await runCommand(line, { dataDir, ...options });
    return { ...outcome, says: outcome.out.replace(/\s+/g, " ") };
  };
  return { home, dataDir, run };
}

/** Returns every file in a folder with its content, without Thoughtbox's own files. */
function picture(home: string): Record<string, string> {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter(
    (entry) => !entry.isDirectory(),
  );
  const paths = files
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => ["data", ".thoughtbox"].every((own) => !path.startsWith(join(home, own))));
  return Object.fromEntries(paths.map((path) => [path.slice(home.length + 1), readFileSync(path, "latin1")]));
}

function put(home: string, { file, content }: Pick<Fixture, "file" | "content">): string {
  const path = join(home, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const parse = (path: string): unknown => {
  const text = readFileSync(path, "utf8").replace("\ufeff", "");
  return path.endsWith(".toml") ? parseToml(text) : parseJson(text, [], { allowTrailingComma: true });
};

describe.each(usable)("$client with $name", (fixture) => {
  test("receives our entry without other changes, and is restored byte for byte", async () => {
    const { home, run, dataDir } = openHome();
    const path = put(home, fixture);
    const before = picture(home);
    const old = parse(path) ?? {};

    const connected = await run(`connect ${fixture.client} --capture=no`);
    expect(connected.code, connected.err + connected.out).toBe(0);
    expect(JSON.stringify(parse(path))).toContain("dist/thoughtbox.js");
    const { hooks: _alsoOurs, ...settings } = old as { hooks?: unknown };
    expect(parse(path)).toMatchObject(settings);
    const journal = JSON.parse(readFileSync(join(dataDir, "connect", `${fixture.client}.json`), "utf8"));
    const entry = journal.entries.find((one: { path: string }) => one.path === path);
    const now = readFileSync(path, "utf8");
    expect(now.slice(0, entry.offset) + now.slice(entry.offset + entry.inserted.length)).toBe(
      fixture.content,
    );
    if (fixture.content.includes("\r\n")) expect(entry.inserted.replaceAll("\r\n", "")).not.toContain("\n");

    const removed = await run(`connect ${fixture.client} --remove`);
    expect(removed.code, removed.err + removed.out).toBe(0);
    expect(picture(home)).toEqual(before);
  });

  test("loses only our entry if the user has changed the file", async () => {
    const { home, run } = openHome();
    const path = put(home, fixture);
    await run(`connect ${fixture.client} --capture=no`);
    const mine = path.endsWith(".toml") ? "# mine\n" : "// mine\n";
    const withMine = (text: string) =>
      text.startsWith("\ufeff") ? `\ufeff${mine}${text.slice(1)}` : mine + text;
    writeFileSync(path, withMine(readFileSync(path, "utf8")));
    expect((await run(`connect ${fixture.client} --remove`)).code).toBe(0);
    expect(readFileSync(path, "utf8")).toBe(withMine(fixture.content));
  });
});

test.each(unusable)("refuses to change $client with $name, and explains why", async (fixture) => {
  const { home, run } = openHome();
  put(home, fixture);
  const before = picture(home);
  const { code, says: out } = await run(`connect ${fixture.client} --capture=no`);
  expect(code).toBe(1);
  expect(out).toContain(fixture.says);
  expect(out).toContain(fixture.file);
  expect(picture(home)).toEqual(before);
});

test("refuses a symbolic link, even as a parent directory", async () => {
  const { home, run } = openHome();
  const real = put(home, { file: "dotfiles/mcp.json", content: "{}" });
  symlinkSync(real, join(home, ".cursor", "mcp.json"));
  const refused = await run("connect cursor --capture=no");
  expect(refused.code).toBe(1);
  expect(refused.says).toContain("is a symbolic link");
  expect(readFileSync(real, "utf8")).toBe("{}");
  renameSync(join(home, "claude"), join(home, "elsewhere"));
  symlinkSync(join(home, "elsewhere"), join(home, "claude"));
  expect((await run("connect claude-code --capture=no")).says).toContain("is a symbolic link");
  expect(readdirSync(join(home, "elsewhere"))).toEqual([]);
});

test("refuses a read-only file, and keeps the permissions of others", async () => {
  const { home, run } = openHome();
  const path = put(home, { file: ".cursor/mcp.json", content: "{}" });
  chmodSync(path, 0o444);
  expect((await run("connect cursor --capture=no")).says).toContain("it is read-only");
  chmodSync(path, 0o640);
  expect((await run("connect cursor --capture=no")).code).toBe(0);
  expect(statSync(path).mode & 0o777).toBe(0o640);
  await run("connect cursor --remove");
  expect(statSync(path).mode & 0o777).toBe(0o640);
});

test("refuses a file that is not UTF-8", async () => {
  const { home, run } = openHome();
  const path = put(home, { file: ".cursor/mcp.json", content: "" });
  writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d]));
  expect((await run("connect cursor --capture=no")).says).toContain("not UTF-8");
});

test("leaves a server alone that the user added by hand", async () => {
  const { home, run } = openHome();
  const content = '{ "mcpServers": { "thoughtbox": { "command": "mine" } } }\n';
  const path = put(home, { file: ".cursor/mcp.json", content });
  const { code, says: out } = await run("connect cursor --capture=no");
  expect(code).toBe(0);
  expect(out).toContain("already has a thoughtbox server");
  expect(readFileSync(path, "utf8")).toBe(content);
});

test.each(clientNames)(
  "connects %s and restores it on a machine on which it has no files",
  async (client) => {
    const { home, run } = openHome();
    const before = picture(home);
    const connected = await run(`connect ${client} --capture=no`);
    expect(connected.code, connected.err + connected.out).toBe(0);
    const written = Object.values(picture(home)).join("\n");
    expect(written).toContain(process.execPath);
    expect(written).toContain("dist/thoughtbox.js");
    const again = await run(`connect ${client} --capture=no`);
    expect(again.code, again.err + again.out).toBe(0);
    const list = JSON.parse((await run("connect --json")).out);
    expect(list.clients.find((one: { client: string }) => one.client === client).connected).toMatchObject({
      version: "0.0.0-test",
    });
    expect((await run(`connect ${client} --remove`)).code).toBe(0);
    expect(picture(home)).toEqual(before);
    expect(existsSync(join(home, "claude", "skills"))).toBe(false);
  },
);

test("--dry-run shows the change without making it", async () => {
  const { home, run } = openHome();
  put(home, { file: "codex/config.toml", content: 'model = "x"\n' });
  const before = picture(home);
  const { out } = await run("connect codex --dry-run", { columns: 200 });
  expect(out).toContain("+ [mcp_servers.thoughtbox]");
  expect(out).toContain("+ [[hooks.SessionStart]]");
  expect(out).not.toContain("- model");
  expect(picture(home)).toEqual(before);
  expect(existsSync(join(home, "data"))).toBe(false);
});

test("--all connects every client that it finds, and --all --remove restores all of them", async () => {
  const { home, run } = openHome();
  const before = picture(home);
  expect((await run("connect --all --capture=no")).code).toBe(0);
  expect(Object.keys(picture(home)).length).toBeGreaterThan(15);
  expect((await run("connect --all --remove")).code).toBe(0);
  expect(picture(home)).toEqual(before);
});

test("--all explains what to do if the only client was installed but never started", async () => {
  const dataDir = join(tempDir(), "data");
  const { code, err } = await runCommand("connect --all --capture=no", { dataDir });
  expect(code).toBe(1);
  expect(err.replace(/\s+/g, " ")).toContain("start it once, and then run this command again");
});

test("removes a file of ours that the user changed, and keeps a copy", async () => {
  const { home, run, dataDir } = openHome();
  await run("connect claude-code --capture=no");
  const hooks = join(home, "claude/skills/thoughtbox/hooks/hooks.json");
  writeFileSync(hooks, "{}");
  const { says: out } = await run("connect claude-code --remove");
  expect(out).toContain("was changed after it was written");
  expect(existsSync(hooks)).toBe(false);
  expect(readFileSync(join(dataDir, "connect", "set-aside", "claude-code-hooks.json"), "utf8")).toBe("{}");
});

test("connects again after the data directory was deleted, and can then be removed", async () => {
  const { home, run, dataDir } = openHome();
  const before = picture(home);
  await run("connect claude-code --capture=no");
  const files = picture(home);
  rmSync(dataDir, { recursive: true });
  const { code, out } = await run("connect claude-code --capture=no");
  expect(code, out).toBe(0);
  expect(picture(home)).toEqual(files);
  expect((await run("connect claude-code --remove")).code).toBe(0);
  expect(Object.keys(picture(home))).toEqual(Object.keys(before));
});

test("keeps the tables that Codex added after ours", async () => {
  const { home, run } = openHome();
  const path = put(home, { file: "codex/config.toml", content: 'model = "x"\n' });
  await run("connect codex --capture=no");
  const added = '\n[hooks.state]\n\n[projects."/home/ada/shop"]\ntrust_level = "trusted"\n';
  writeFileSync(path, readFileSync(path, "utf8") + added);
  await run("connect codex --remove");
  expect(readFileSync(path, "utf8")).toBe(`model = "x"\n${added}`);
  await run("connect codex --capture=no");
  writeFileSync(path, readFileSync(path, "utf8").replace("timeout = 5", "timeout = 9"));
  const { says } = await run("connect codex --remove");
  expect(says).toContain("remove it by hand");
  expect(readFileSync(path, "utf8")).toContain("trust_level");
});

test("doctor shows for each client what is connected, by which version, and when its hooks last ran", async () => {
  const { home, dataDir, run } = openHome();
  expect((await run("doctor")).says).toContain("not connected");
  await run("connect claude-code --capture=no");
  await run("connect cursor --capture=no");
  const before = await run("doctor");
  expect(before.says).toContain("Claude Code, connected by 0.0.0-test, but its hooks have not run yet");
  expect(before.says).toContain("Cursor, connected by 0.0.0-test");
  mkdirSync(join(dataDir, "run", "hooks"), { recursive: true });
  writeFileSync(join(dataDir, "run", "hooks", "claude-code"), "Stop\n");
  expect((await run("doctor")).says).toMatch(/hooks last ran at 20\d\d-/);
  rmSync(join(home, "claude", "skills"), { recursive: true });
  const broken = await run("doctor");
  expect(broken.code).toBe(1);
  expect(broken.says).toContain("is missing. Run thoughtbox connect claude-code again.");
});

test("without a terminal, connect asks nothing and captures nothing", async () => {
  const { run, dataDir } = openHome();
  const { says: out } = await run("connect cursor", { inputIsTerminal: false });
  expect(out).toContain("No transcript is read until you agree");
  expect(existsSync(join(dataDir, "capture.json"))).toBe(false);
});

test("--capture stores the answer, and THOUGHTBOX_CAPTURE overrides it", async () => {
  const { run } = openHome();
  const capture = async (env = {}) => JSON.parse((await run("connect --json", { env })).out).capture;
  expect(await capture()).toBe("unasked");
  await run("connect cursor --capture=yes");
  expect(await capture()).toBe("on");
  expect(await capture({ THOUGHTBOX_CAPTURE: "off" })).toBe("off");
  await run("connect --capture=no");
  expect(await capture()).toBe("off");
});

test.each([
  ["connect nobody", "is not a client"],
  ["connect cursor --all", "--all takes no client"],
  ["connect --remove", "Choose a client"],
])("thoughtbox %s is refused", async (line, says) => {
  const { run } = openHome();
  const { code, err } = await run(line);
  expect(code).toBe(2);
  expect(err).toContain(says);
});
