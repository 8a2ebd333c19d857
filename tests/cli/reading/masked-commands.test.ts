import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commands } from "../../../src/cli/commands.ts";
import { runCommand } from "../../support/cli.ts";
import { createRepository } from "../../support/git/repository.ts";
import { tempDir } from "../../support/temp-dir.ts";

/** Assembled here so that secret scanners do not flag this file. */
const secret = ["ghp", "Zq8vK2mN4pR6tW8yB1dF3hJ5kL7nQ9sU2wX4"].join("_");
const leak = `pool ${secret} \u202e`;

/** Backups keep the text, and servers and help show none. `call` and `why` run operations from the catalogue. */
const others = [
  "serve",
  "stdio",
  "lsp",
  "hook",
  "observatory",
  "open",
  "backup",
  "dump",
  "restore",
  "move",
  "archive",
  "migrate",
  "import",
  "call",
  "why",
  "docs",
];
const silent = ["models", "config", "completion", "help", "version", "note", "connect", "capture"];

const lines = {
  ls: ["ls --project *", "ls --project * --json"],
  show: ["show latest", "show latest --json"],
  read: ["read latest", "read latest --json"],
  watch: ["watch latest", "watch latest --json"],
  search: ["search pool", "search pool --json"],
  recall: ["recall pool", "recall pool --json"],
  analyze: ["analyze latest"],
  knowledge: ["knowledge", "knowledge check-the-pool", "knowledge --json"],
  notebook: ["notebook", "notebook --json"],
  export: ["export latest --format markdown", "export latest --format cipher"],
  verify: ["verify latest", "verify"],
  trash: ["trash", "trash --json"],
  doctor: ["doctor"],
  tasks: ["tasks", "tasks --json"],
  tag: ["tag latest pool", "tag latest pool --json"],
  rm: ["rm latest"],
  undelete: ["undelete", "rm latest", "undelete --json"],
  rename: ["rename latest Pool"],
  decide: ["", " --json"].map((json) => `decide ${secret} --chosen ${secret} --because ${secret}${json}`),
  decisions: ["decisions", "decisions pool --json"],
  git: ["git scan", "git scan --json", "git trailer"],
};

async function fill() {
  const dataDir = join(tempDir(), "data");
  const type = async (typed: readonly string[]) => {
    const { code, out, err } = await runCommand(typed, { dataDir });
    expect(code, err).toBe(0);
    return out;
  };
  const call = async (operation: string, args: Record<string, unknown>) =>
    JSON.parse(await type(["call", operation, JSON.stringify(args)]));
  const { sessionId: gone } = await call("thought", { thought: leak, sessionTitle: leak });
  await call("session.delete", { sessionId: gone, confirm: true });
  const note = { title: "Check the pool", description: leak, content: leak, tags: [leak] };
  await call("knowledge.create_pattern", note);
  const { notebookId } = await call("notebook.create", { name: leak });
  await call("notebook.add_cell", { notebookId, type: "code", content: `// ${leak}` });
  const { sessionId } = await call("thought", {
    ...{ thought: `S1|C||${leak}`, sessionTitle: leak },
  });
  await call("thought", { sessionId, thought: `${"long ".repeat(8)}${leak}` });
  const rejected = [{ option: leak, why: leak }];
  await call("decide", { title: leak, chosen: leak, because: leak, rejected });
  const message = `${leak}\n\nThoughtbox-Session: ${sessionId}`;
  createRepository(join(dataDir, "..")).commit(message, 1);
  return { dataDir, type };
}

test("every command is tested, or has a reason not to be", () => {
  expect([...Object.keys(lines), ...others, ...silent].sort()).toEqual(
    commands.map(({ name }) => name).sort(),
  );
});

test("no command shows a stored secret or hidden character", async () => {
  const { dataDir, type } = await fill();
  const masked: string[] = [];
  for (const columns of [50, 200])
    for (const line of Object.values(lines).flat()) {
      const { out, err } = await runCommand(line, {
        dataDir,
        columns,
        ...(line.startsWith("watch") && { stop: AbortSignal.abort() }),
      });
      const printed = out + err;
      expect(printed, line).not.toContain(secret.slice(0, 12));
      expect(printed, line).not.toContain("\u202e");
      if (printed.includes("[secret:")) masked.push(line);
    }
  expect(masked.length).toBeGreaterThan(15);
  expect(masked).toEqual(expect.arrayContaining(["decisions", "git scan"]));
  for (const format of ["markdown", "cipher"]) {
    const file = join(dataDir, "..", `out.${format}`);
    await type(["export", "latest", "--format", format, "--to", file]);
    const written = readFileSync(file, "utf8");
    expect(written).toContain("[secret:github-token]");
    expect(written).not.toContain(secret);
  }
  const json = join(dataDir, "..", "out.json");
  await type(["export", "latest", "--to", json]);
  expect(readFileSync(json, "utf8")).toContain(secret);
}, 60_000);
