import { mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../support/cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { filesBelow } from "../support/views/tree.ts";

const env = { PORT: "0", THOUGHTBOX_PROJECT: "shop" };

async function call(dataDir: string, name: string, args: object = {}) {
  const words = Object.entries(args).map(([key, value]) => `${key}=${value}`);
  const { out, err } = await runCommand(["call", name, ...words, "--json"], { dataDir, env });
  expect(err).toBe("");
  return JSON.parse(out);
}

/** Creates two notebooks: one with a changed and a deleted cell, one in the trash. */
async function prepareNotebooks() {
  const dataDir = join(tempDir(), "data");
  const { notebookId } = await call(dataDir, "notebook.create", { name: "Rounding" });
  const { cellId } = await call(dataDir, "notebook.add_cell", {
    notebookId,
    type: "markdown",
    text: "first",
  });
  await call(dataDir, "notebook.update_cell", { notebookId, cellId, content: "second" });
  const other = await call(dataDir, "notebook.add_cell", { notebookId, type: "code", content: "1 + 1" });
  await call(dataDir, "notebook.delete_cell", { notebookId, cellId: other.cellId });
  const trashed = await call(dataDir, "notebook.create", { name: "Gone" });
  await call(dataDir, "notebook.delete", { notebookId: trashed.notebookId, confirm: true });
  return { dataDir, notebookId, cellId, trashedId: trashed.notebookId };
}

test("dump and restore keep notebooks with every version and the trash", async () => {
  const { dataDir, notebookId, cellId, trashedId } = await prepareNotebooks();
  const file = join(tempDir(), "all.jsonl");
  const dumped = await runCommand(["dump", file], { dataDir, env });
  expect(dumped, dumped.err).toMatchObject({ code: 0, out: expect.stringContaining("2 notebooks") });
  const other = join(tempDir(), "data");
  const restored = await runCommand(["restore", file], { dataDir: other, env });
  expect(restored, restored.err).toMatchObject({
    code: 0,
    out: expect.stringContaining("2 notebooks: 2 new."),
  });
  const versions = { notebookId, cellId, versions: true };
  expect(await call(other, "notebook.get_cell", versions)).toEqual(
    await call(dataDir, "notebook.get_cell", versions),
  );
  expect((await call(other, "notebook.list", { trash: true })).notebooks).toMatchObject([{ id: trashedId }]);
  expect(filesBelow(other).filter((path) => path.endsWith(".src.md"))).toEqual(
    filesBelow(dataDir).filter((path) => path.endsWith(".src.md")),
  );
  const verified = await runCommand("verify --all", { dataDir: other, env });
  expect(verified).toMatchObject({ code: 0, out: expect.stringContaining("2 notebooks: files and cells") });
});

test("restore refuses a notebook that differs from the stored one, and keeps the stored one", async () => {
  const { dataDir, notebookId, cellId } = await prepareNotebooks();
  const file = join(tempDir(), "all.jsonl");
  await runCommand(["dump", file], { dataDir, env });
  const changed = join(tempDir(), "changed.jsonl");
  writeFileSync(changed, readFileSync(file, "utf8").replaceAll('"second"', '"forged"'));
  const { code, out } = await runCommand(["restore", changed], { dataDir, env });
  expect(code).toBe(1);
  expect(out).toContain("2 notebooks: 1 already there, 1 refused.");
  expect(out).toContain(notebookId);
  expect((await call(dataDir, "notebook.get_cell", { notebookId, cellId })).cell.text).toBe("second");
});

test("restore refuses a notebook with invalid cells or with a filename outside its folder", async () => {
  const { dataDir, notebookId } = await prepareNotebooks();
  const file = join(tempDir(), "all.jsonl");
  await runCommand(["dump", file], { dataDir, env });
  const lines = readFileSync(file, "utf8").split("\n");
  const spoilt = join(tempDir(), "spoilt.jsonl");
  const spoil = (line: string) => line.replace('"second"', "7").replace("cell-1.ts", "../../up.ts");
  writeFileSync(spoilt, lines.map(spoil).join("\n"));
  const restored = await runCommand(["restore", spoilt, "--json"], { dataDir: join(tempDir(), "data"), env });
  const { badLines, notebooks } = JSON.parse(restored.out);
  expect(restored.code).toBe(1);
  expect(badLines).toHaveLength(2);
  expect(notebooks).toMatchObject({
    added: 1,
    refused: [{ notebookId, reason: "some of its cells are missing" }],
  });
});

test("import restores notebooks from the files of a data directory", async () => {
  const { dataDir, notebookId, cellId, trashedId } = await prepareNotebooks();
  const other = join(tempDir(), "data");
  const { code, out, err } = await runCommand(["import", dataDir], { dataDir: other, env });
  expect(code, err).toBe(0);
  expect(out).toContain("2 notebooks: 2 new.");
  const { cell } = await call(other, "notebook.get_cell", { notebookId, cellId });
  expect(cell).toMatchObject({ text: "second", version: 2 });
  expect((await call(other, "notebook.list", { trash: true })).notebooks).toMatchObject([{ id: trashedId }]);
});

test("a copy of projects/ under another name keeps the project of its notebooks", async () => {
  const { dataDir, notebookId } = await prepareNotebooks();
  const renamed = join(tempDir(), "tree");
  renameSync(join(dataDir, "projects"), renamed);
  const other = join(tempDir(), "data");
  await runCommand(["import", renamed], { dataDir: other, env });
  expect((await call(other, "notebook.list")).notebooks).toMatchObject([{ id: notebookId }]);
});

test("a single .src.md file, as Srcbook writes it, is imported with new cell IDs", async () => {
  const directory = join(tempDir(), "notebooks");
  mkdirSync(directory);
  const id = "0e551011-0000-4000-8000-00000000a11a";
  writeFileSync(
    join(directory, `${id}.src.md`),
    '<!-- srcbook:{"language":"javascript"} -->\n\n# Weather\n\nProse.\n',
  );
  writeFileSync(join(directory, "1e551011-0000-4000-8000-00000000a11a.src.md"), "no notebook");
  const dataDir = join(tempDir(), "data");
  const { code, out } = await runCommand(["import", directory], {
    dataDir,
    env: { ...env, THOUGHTBOX_PROJECT: "_default" },
  });
  expect(code).toBe(1);
  expect(out).toContain("2 notebooks: 1 new, 1 refused.");
});

test("doctor and verify find changed and missing files of notebooks, and --repair fixes them", async () => {
  const { dataDir, notebookId } = await prepareNotebooks();
  const folder = join(dataDir, "projects", "shop", "notebooks");
  const text = join(folder, `${notebookId}.src.md`);
  const before = readFileSync(text, "utf8");
  writeFileSync(text, `${before}\nby hand\n`);
  renameSync(join(folder, `${notebookId}.outputs.json`), join(folder, "lost.json"));
  expect((await runCommand("verify", { dataDir, env })).code).toBe(1);
  const sick = await runCommand("doctor", { dataDir, env });
  expect(sick.code).toBe(1);
  expect(sick.out).toMatch(/✗ notebooks +projects\/shop\/notebooks\/\S+\s+differs/);
  const { code, out } = await runCommand("doctor --repair", { dataDir, env });
  expect(code).toBe(0);
  expect(out).toContain("2 notebooks");
  expect(readFileSync(text, "utf8")).toBe(before);
  const aside = filesBelow(join(dataDir, "quarantine"));
  expect(aside).toHaveLength(1);
  expect(readFileSync(join(dataDir, "quarantine", aside[0] ?? ""), "utf8")).toContain("by hand");
  rmSync(join(dataDir, "projects"), { recursive: true });
  expect((await runCommand("doctor --repair", { dataDir, env })).code).toBe(0);
  expect(readFileSync(text, "utf8")).toBe(before);
});

test("import refuses or skips files that are too large for a notebook", async () => {
  const directory = join(tempDir(), "notebooks");
  mkdirSync(directory);
  const leave = (n: number, suffix: string, content: string, size?: number) => {
    const path = join(directory, `00000000-0000-4000-8000-00000000000${n}${suffix}`);
    writeFileSync(path, content);
    if (size !== undefined) truncateSync(path, size);
  };
  const opening = '<!-- srcbook:{"language":"javascript"} -->\n\n# Title\n\n';
  leave(1, ".src.md", opening, 400_000_000);
  leave(2, ".src.md", `${opening}${"# again\n\n".repeat(600)}`);
  leave(3, ".src.md", `${opening}words\n`);
  leave(3, ".outputs.json", "{", 400_000_000);
  leave(4, ".src.md", `${opening}words\n`);
  leave(4, ".outputs.json", `{"runs":[${"[1],".repeat(600_000)}1]}`);
  const { code, out } = await runCommand(["import", directory, "--json"], {
    dataDir: join(tempDir(), "data"),
    env,
  });
  expect(code).toBe(1);
  const { notebooks } = JSON.parse(out);
  expect(notebooks).toMatchObject({ added: 2 });
  expect(notebooks.refused.map(({ reason }: { reason: string }) => reason)).toEqual([
    "is too long",
    "has more than 500 cells",
  ]);
});

test("a restored backup writes its notebooks as files again", async () => {
  const { dataDir } = await prepareNotebooks();
  await runCommand(["call", "thought", "sessionTitle=Rounding", "thought=Half to even"], { dataDir, env });
  const restored = join(tempDir(), "restored");
  mkdirSync(restored, { mode: 0o700 });
  await runCommand(["backup", join(restored, "thoughtbox.db")], { dataDir, env });
  const { code, out } = await runCommand("doctor", { dataDir: restored, env });
  expect(code, out).toBe(0);
  const notebooksBelow = (directory: string) =>
    filesBelow(directory).filter((path) => path.endsWith(".src.md"));
  expect(notebooksBelow(restored)).toEqual(notebooksBelow(dataDir));
});
