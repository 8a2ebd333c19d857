import { cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import { runCommand } from "../support/cli.ts";
import { createRepository } from "../support/git/repository.ts";
import { tempDir } from "../support/temp-dir.ts";
import { later, prepareStore } from "./prepared-store.ts";

/** Files that some commands' examples need. */
const preparations: Record<string, (dataDir: string, directory: string) => Promise<void>> = {
  async import(dataDir, directory) {
    await runCommand("export latest --to session.json", { dataDir, directory });
    cpSync(join(dataDir, "projects"), join(directory, "old-data", "projects"), { recursive: true });
  },
  async dump(dataDir) {
    await runCommand("call notes_commit content=x workspace=acme/repo", { dataDir });
  },
  async connect(dataDir) {
    mkdirSync(join(dirname(dataDir), "claude"));
  },
  async notebook(dataDir) {
    const { out } = await runCommand("call notebook.create name=Cents", { dataDir });
    const { notebookId } = JSON.parse(out);
    await runCommand(`call notebook.add_cell notebookId=${notebookId} type=code content=1+1`, { dataDir });
  },
  async tasks(dataDir, directory) {
    await runCommand("call tasks_create title=Pool steps=measure", { dataDir, directory });
  },
  async undelete(dataDir) {
    await runCommand("rm latest", { dataDir });
  },
  async why(_dataDir, directory) {
    const repository = createRepository(directory);
    repository.commit("start", 0);
    repository.write("src/pool.ts", "export const pool = {\n  size: 40,\n};\n");
    repository.commit("fix: size the pool", 12);
  },
  async git(_dataDir, directory) {
    createRepository(directory).commit("start", 0);
  },
  async restore(dataDir, directory) {
    await runCommand("dump thoughts.jsonl", { dataDir, directory });
  },
};

/** Servers run until they are stopped. Lines that run a client's own command are skipped. */
const stopped = AbortSignal.abort();
const ours = commands.flatMap(({ name, examples }) =>
  examples.filter(({ line }) => !/^(?:claude |vim\.)/.test(line)).map(({ line }) => ({ name, line })),
);

const isServer = (name: string): boolean => ["serve", "observatory", "open", "watch"].includes(name);

async function runExample(name: string, line: string) {
  const dataDir = await prepareStore();
  const directory = tempDir();
  await preparations[name]?.(dataDir, directory);
  const env = { PORT: "0", THOUGHTBOX_OBSERVATORY_PORT: "0" };
  const typed = isServer(name) ? line.replace(/\w*PORT=\d+ | --port \d+/, "") : line;
  return runCommand(typed, {
    dataDir,
    directory,
    env,
    now: later,
    ...(isServer(name) && { stop: stopped }),
  });
}

describe("the examples in help", () => {
  test("exist for every command", () => {
    expect(commands.length).toBeGreaterThan(18);
    for (const { name, examples } of commands) expect(examples.length, name).toBeGreaterThan(0);
    expect(ours.length).toBeGreaterThan(35);
  });

  test.each(ours)("$line", async ({ name, line }) => {
    const { code, out, err } = await runExample(name, line);
    expect(code, err).toBe(0);
    expect(name === "serve" ? err : out).not.toBe("");
    expect(out).not.toMatch(/undefined|\[object|NaN/);
  });

  test.each(ours.filter(({ name }) => !isServer(name)))("$line, as JSON", async ({ name, line }) => {
    const { code, out, err } = await runExample(name, line.includes("--json") ? line : `${line} --json`);
    expect(code, err).toBe(0);
    expect(JSON.parse(out)).toBeTypeOf("object");
  });
});
