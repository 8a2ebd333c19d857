import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { spawnHttpServer } from "../support/http-process.ts";
import { binary, cleanEnv } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { transports } from "./desks.ts";

const inspector = join(
  ...[import.meta.dirname, "..", "node_modules", "@modelcontextprotocol", "inspector"],
  ...["clients", "launcher", "build", "index.js"],
);

/** Runs the Inspector's command line once, with its own home. An exit code other than 0 fails the test. */
async function inspect(target: string[], ...words: string[]): Promise<any> {
  const { stdout } = await promisify(execFile)(process.execPath, [inspector, "--cli", ...target, ...words], {
    env: { ...cleanEnv(), HOME: tempDir() },
  });
  return JSON.parse(stdout);
}

async function targetOver(transport: (typeof transports)[number], dataDir: string): Promise<string[]> {
  if (transport === "http") return [(await spawnHttpServer(dataDir)).url.href, "--transport", "http"];
  return [process.execPath, binary, "stdio", "-e", `THOUGHTBOX_DATA_DIR=${dataDir}`];
}

test.each(transports)(
  "the Inspector lists tools over %s and accepts their schemas as portable",
  async (transport) => {
    const target = await targetOver(transport, tempDir());
    const { tools } = await inspect(target, "--strict", "--method", "tools/list");
    expect(tools.map(({ name }: { name: string }) => name)).toContain("thoughtbox_gateway");
  },
);

test.each(transports)("the Inspector calls tools over %s, and reads what it wrote", async (transport) => {
  const target = await targetOver(transport, tempDir());
  const call = (name: string, ...args: string[]) =>
    inspect(target, "--method", "tools/call", "--tool-name", name, ...args);
  const started = await call("thought", "--tool-arg", "thought=Seen", "--tool-arg", "sessionTitle=Inspected");
  const loaded = await call("load_context", "--tool-arg", "latest=true");
  expect(loaded.structuredContent.session).toMatchObject({
    id: started.structuredContent.sessionId,
    title: "Inspected",
  });
});
