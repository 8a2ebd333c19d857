import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Launch } from "./client-table.ts";
import { hookCommand, hookEntries, opencodePlugin } from "./hook-files.ts";

const hostile = [
  "a $(touch x) b",
  "`id`",
  "it's",
  "it’s ‘so’",
  '"; id; "',
  "back\\slash\\",
  "%PATH%",
  "!!",
  "a\nb",
];

const launchIn = (folder: string, platform: NodeJS.Platform = "linux"): Launch => ({
  node: process.execPath,
  program: `${folder}/thoughtbox.js`,
  hook: `${folder}/hook.mjs`,
  plugin: `${folder}/plugin`,
  dataDir: folder,
  platform,
  version: "1",
});

describe("the command line that a client runs for a hook", () => {
  it.each(hostile)("passes the folder %j to sh unchanged and runs nothing in it", (folder) => {
    const line = hookCommand(launchIn(folder), "claude-code", "Stop");
    const print = `print() { for word; do printf '%s\\0' "$word"; done; }; print ${line}`;
    const words = execFileSync("sh", ["-c", print]).toString().split("\0").slice(0, -1);
    expect(words).toEqual([process.execPath, `${folder}/hook.mjs`, "claude-code", "Stop", folder]);
  });

  it.each<[string, string]>([
    ["C:\\$(calc)", "'C:\\$(calc)'"],
    ["C:\\it's", "'C:\\it''s'"],
    ["C:\\it’s ‘so’", "'C:\\it’’s ‘‘so’’'"],
    ["C:\\`id`", "'C:\\`id`'"],
  ])("passes the folder %j to PowerShell as the word %s", (folder, word) => {
    const line = hookCommand(launchIn(folder, "win32"), "copilot-cli", "agentStop", "powershell");
    expect(line.endsWith(` copilot-cli agentStop ${word}`)).toBe(true);
  });

  it("is written for both shells of Copilot CLI, whatever the platform", () => {
    const { agentStop } = hookEntries("copilot-cli", launchIn("C:\\$(calc)", "win32"));
    expect(agentStop).toMatchObject([
      { bash: expect.stringContaining('"C:\\\\\\$(calc)"'), powershell: expect.stringMatching(/^& '.*'$/) },
    ]);
  });
});

it("an opencode session receives its context again after a compaction", async () => {
  const folder = mkdtempSync(join(tmpdir(), "thoughtbox-opencode-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const print =
    "process.stdin.on('data', (text) => console.log(JSON.stringify({ additionalContext: JSON.parse(text).source })))";
  writeFileSync(join(folder, "hook.mjs"), print);
  writeFileSync(join(folder, "thoughtbox.mjs"), opencodePlugin(launchIn(folder)));
  const { Thoughtbox } = await import(pathToFileURL(join(folder, "thoughtbox.mjs")).href);
  const plugin = await Thoughtbox({ directory: folder });
  const begin = async () => {
    const output = { system: [] as string[] };
    await plugin["experimental.chat.system.transform"]({ sessionID: "s" }, output);
    return output.system;
  };
  expect(await begin()).toEqual(["startup"]);
  await plugin.event({ event: { type: "session.compacted", properties: { sessionID: "s" } } });
  expect(await begin()).toEqual(["compact"]);
  expect(await begin()).toEqual(["compact"]);
});
