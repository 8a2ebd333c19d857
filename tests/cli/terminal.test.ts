import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openBareApp } from "../support/bare-app.ts";
import { runCommand } from "../support/cli.ts";
import { sourceFiles } from "../support/sources.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Clears the screen, hides text, reverses it, smuggles a sentence, overwrites the line and uses our colours. */
const hostile = "a\x1b[2Jb\x1b]0;t\x07c\x9b8md\x7fe\u202ef\u{e0041}\u{e0042}g\rh\x1b[32mzebra";
const acts = /[^\P{Cc}\n]|[\p{Bidi_Control}\u{e0000}-\u{e0fff}]/u;
const ownColours = new RegExp(`${"\x1b"}\\[(?:1|2|22|3[1-6]|39)m`, "g");

async function hostileStore(): Promise<{ dataDir: string; sessionId: string }> {
  const dataDir = join(tempDir(), "data");
  const { client, close } = openBareApp("fs", dataDir);
  const { sessionId } = await client.call("start_new", { sessionTitle: hostile, tags: [hostile] });
  await client.call("cipher", { sessionId });
  const critique = { thoughtNumber: 1, text: hostile, model: hostile };
  await client.call("thought", { sessionId, thought: hostile });
  await client.call("thought", { sessionId, thought: `needle ${hostile}`, attachCritique: critique });
  await client.call("knowledge.create_pattern", {
    sessionId,
    title: hostile,
    description: hostile,
    content: hostile,
  });
  await client.call("notes_commit", { content: hostile, title: hostile });
  const { notebookId } = await client.call("notebook.create", { sessionId, name: hostile.replace("\r", "") });
  const cell = {
    type: "code",
    filename: "a.js",
    content: `process.stdout.write(${JSON.stringify(hostile)})`,
  };
  await client.call("notebook.add_cell", { sessionId, notebookId, ...cell });
  const { sessionId: deleted } = await client.call("start_new", { sessionTitle: hostile });
  await client.call("session.delete", { sessionId: deleted, confirm: true });
  await close();
  return { dataDir, sessionId };
}

test("no stored text controls the terminal, and a JSON export keeps it unchanged", async () => {
  const { dataDir, sessionId } = await hostileStore();
  const commands = [
    ["ls"],
    ["show", "latest"],
    ["read", "latest"],
    ["search", "needle"],
    ["analyze", "latest"],
    ["knowledge"],
    ["notebook"],
    ["notebook", "run", "latest"],
    ["notebook", "export", "latest"],
    ["verify"],
    ["trash"],
    ["config"],
    ["export", "latest"],
    ["export", "latest", "--format", "markdown"],
    ["export", "latest", "--format", "cipher"],
    ["call", "read_thoughts", `sessionId=${sessionId}`],
    ["call", "show"],
    ["call", `no\x1bsuch`],
    ["read", `no\x1bsuch`],
  ];
  for (const coloured of [false, true])
    for (const words of commands.flatMap((typed) => [typed, [...typed, "--json"]])) {
      const { out, err } = await runCommand(words, { dataDir, coloured });
      const said = (out + err).replace(coloured ? ownColours : /$^/, "");
      expect(said, words.join(" ")).not.toMatch(acts);
      expect(out + err, words.join(" ")).not.toContain("\x1b[32mzebra");
      expect(out + err, words.join(" ")).not.toBe("");
    }
  const exported = await runCommand(["export", "latest"], { dataDir });
  expect(JSON.parse(exported.out).nodes[0].data.thought).toBe(hostile);
});

test("only the entry point that makes output safe prints it", () => {
  const files = sourceFiles("src").filter((file) => !/\.test(?:ing)?\.ts$/.test(file));
  const printing = files.filter((file) =>
    /process\.(?:stdout|stderr)\.write\(|console\.\w+\(/.test(readFileSync(file, "utf8")),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(printing.map((file) => file.slice(file.indexOf("src/")))).toEqual([
    // A program that clients start, and that prints a hook's JSON.
    "src/hook.ts",
    "src/main.ts",
    // A program that runs inside the sandbox.
    "src/runner/sandbox/attempt-attacks.ts",
    // A program in its own process, whose output its parent reads.
    "src/storage/sqlite/connection/long-statements.ts",
  ]);
});
