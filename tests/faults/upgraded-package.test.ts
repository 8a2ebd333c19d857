import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { catalogue } from "../../src/operations/catalogue.ts";
import { connectRaw, eras, startThinking } from "../support/raw-client.ts";
import { spawnServer } from "../support/server-process.ts";
import { fillIn } from "../support/situations.ts";
import { tempDir } from "../support/temp-dir.ts";

const root = join(import.meta.dirname, "..", "..");
const parts = ["dist", "content", "sandbox"];

/** Installs the package beside its dependencies, as a user would. */
function installCopy(): string {
  const directory = join(tempDir(), "thoughtbox");
  for (const part of [...parts, "package.json"])
    cpSync(join(root, part), join(directory, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
  return directory;
}

/** Removes every file of the running version and puts others in their place. */
function upgrade(directory: string): void {
  for (const part of parts) rmSync(join(directory, part), { recursive: true });
  mkdirSync(join(directory, "dist", "chunks"), { recursive: true });
  for (const file of ["thoughtbox.js", "program.js", "main.mjs", "chunks/chunk-OTHER.mjs"])
    writeFileSync(join(directory, "dist", file), "throw new Error('another version')\n");
}

test.each(eras)(
  "an upgrade of the package under a running server breaks no call of a %s client",
  async (era) => {
    const directory = installCopy();
    const copy = ([node = "", , ...rest]: string[]) => [
      node,
      join(directory, "dist", "thoughtbox.js"),
      ...rest,
    ];
    const client = await connectRaw(spawnServer(join(tempDir(), "data"), {}, copy), era);
    await client.request("tools/list");
    await client.call("get_state");
    upgrade(directory);

    const sessionId = await startThinking(client);
    const thought = await client.call("thought", { sessionId, thought: "S1|O|still served" });
    expect(thought).toMatchObject({ thoughtNumber: 1 });
    const notebook = await client.call("notebook.create", {
      sessionId,
      title: "Sums",
      language: "javascript",
    });
    const outcomes = new Map<string, string>();
    for (const { name, examples } of catalogue) {
      const input = fillIn(examples[0]?.input ?? {}, { sessionId, notebook: notebook.notebookId } as never);
      const { error } = await client.gateway(name, input as Record<string, unknown>);
      outcomes.set(name, error?.code ?? "done");
    }
    const broken = [...outcomes].filter(([, outcome]) => outcome === "INTERNAL_ERROR");
    expect(broken).toEqual([]);
    expect([...outcomes.values()].filter((outcome) => outcome === "done").length).toBeGreaterThan(60);

    const { result } = await client.request("prompts/list");
    expect(result.prompts.length).toBeGreaterThan(0);
    const { result: resources } = await client.request("resources/list");
    for (const { uri } of resources.resources)
      expect(await client.request("resources/read", { uri })).toHaveProperty("result");
    expect(client.server.stderr()).toBe("");
  },
);
