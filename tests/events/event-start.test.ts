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

test("the stdio command refuses events on stdout", async () => {
  expect(await refusal({ env: { THOUGHTBOX_EVENT_OUTPUT: "stdout" } })).toMatch(mixed);
});

test("a server that chose stdio because stdin is a pipe refuses events on stdout", async () => {
  expect(await refusal({ env: { THOUGHTBOX_EVENT_OUTPUT: "stdout" }, wrap: withoutCommand })).toMatch(mixed);
});

test("the stdio command refuses events on stdout, even if the environment sets another transport", async () => {
  const env = { THOUGHTBOX_EVENT_OUTPUT: "stdout", THOUGHTBOX_TRANSPORT: "http" };
  expect(await refusal({ env })).toMatch(mixed);
});

test("config.json outside the default data directory cannot send events to stdout", async () => {
  const dataDir = tempDir();
  writeFileSync(join(dataDir, "config.json"), JSON.stringify({ event: { output: "stdout" } }));
  expect(() =>
    readConfig({ env: { THOUGHTBOX_DATA_DIR: dataDir, THOUGHTBOX_TRANSPORT: "stdio" } }),
  ).not.toThrow();
});

test("a misspelt event type is refused with a suggestion", async () => {
  const env = { THOUGHTBOX_EVENT_OUTPUT: "stderr", THOUGHTBOX_EVENT_TYPES: "thought_added,sesion_started" };
  expect(await refusal({ env })).toMatch(
    /THOUGHTBOX_EVENT_TYPES is .* such as session_started instead of "sesion_started"/,
  );
});

test("config set refuses an unknown event type, and one in config.json is reported", () => {
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
