import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig, saveSetting } from "../../src/config.ts";
import { spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

type Start = { env?: Record<string, string>; wrap?: (command: string[]) => string[]; dataDir?: string };

/** Starts a server that must refuse to start, and returns the one line it prints. */
async function refusal({ env = {}, wrap = (command) => command, dataDir = join(tempDir(), "data") }: Start) {
  const { child, lines, stderr } = spawnServer(dataDir, env, wrap);
  const [code] = await once(child, "close");
  expect(code).toBe(1);
  expect(lines).toEqual([]);
  expect(stderr()).toMatch(/^thoughtbox: [^\n]+\n$/);
  return stderr();
}

const mixed = /THOUGHTBOX_EVENT_OUTPUT is "stdout", .* must be stderr, file or none\.\n$/;
const withoutCommand = (command: string[]) => command.slice(0, -1);

test("events on stdout are refused by the stdio command", async () => {
  expect(await refusal({ env: { THOUGHTBOX_EVENT_OUTPUT: "stdout" } })).toMatch(mixed);
});

test("events on stdout are refused when a pipe on stdin chose stdio", async () => {
  expect(await refusal({ env: { THOUGHTBOX_EVENT_OUTPUT: "stdout" }, wrap: withoutCommand })).toMatch(mixed);
});

test("the stdio command refuses them, whatever transport the environment sets", async () => {
  const env = { THOUGHTBOX_EVENT_OUTPUT: "stdout", THOUGHTBOX_TRANSPORT: "http" };
  expect(await refusal({ env })).toMatch(mixed);
});

test("config.json does not send events to stdout from a data directory that is not the default one", async () => {
  const dataDir = tempDir();
  writeFileSync(join(dataDir, "config.json"), JSON.stringify({ event: { output: "stdout" } }));
  expect(() =>
    readConfig({ env: { THOUGHTBOX_DATA_DIR: dataDir, THOUGHTBOX_TRANSPORT: "stdio" } }),
  ).not.toThrow();
});

test("a misspelt event type is refused with the one that was meant", async () => {
  const env = { THOUGHTBOX_EVENT_OUTPUT: "stderr", THOUGHTBOX_EVENT_TYPES: "thought_added,sesion_started" };
  expect(await refusal({ env })).toMatch(
    /THOUGHTBOX_EVENT_TYPES is .* such as session_started instead of "sesion_started"/,
  );
});

test("config.json cannot get an unknown event type, and one that is there is named", () => {
  const dataDir = tempDir();
  const env = { THOUGHTBOX_DATA_DIR: dataDir };
  expect(() => saveSetting("event.types", "nope", { env })).toThrow(
    'event.types cannot be "nope": it must be * or event types: thought_added, ',
  );
  expect(() => readConfig({ env })).not.toThrow();
  saveSetting("event.types", "thought_added", { env });
  writeFileSync(join(dataDir, "config.json"), JSON.stringify({ event: { types: ["nope"] } }));
  expect(() => readConfig({ env })).toThrow(
    /"event\.types" in .*config\.json is .*nope.* It must be \* or event types/,
  );
});
