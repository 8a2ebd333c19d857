import { expect, test } from "vitest";
import { runCommand } from "../../support/cli.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { prepareStore } from "../prepared-store.ts";

test("renames, tags, deletes and restores a session", async () => {
  const dataDir = await prepareStore();
  const run = async (line: string) => (await runCommand(line, { dataDir })).out;
  const newest = async () => JSON.parse(await run("ls --json")).sessions[0];
  const before = await newest();
  await run("rename latest Pool exhaustion");
  await run("tag latest pool postgres");
  expect(await run("tag latest -- -postgres")).toContain("pool");
  const named = await newest();
  expect(named.title).toBe("Pool exhaustion");
  expect(named.tags).toEqual([...before.tags, "pool"]);
  expect(await run("rm latest")).toContain(`thoughtbox undelete ${before.id.slice(0, 8)}`);
  expect((await newest())?.id).not.toBe(before.id);
  await run(`undelete ${before.id.slice(0, 8)}`);
  expect((await newest()).id).toBe(before.id);
});

test("reports an empty trash, with the command that shows the trash", async () => {
  const { code, err } = await runCommand("undelete", { dataDir: await prepareStore() });
  expect(code).toBe(1);
  expect(err).toContain("There is no session in the trash.");
  expect(err).toContain("thoughtbox trash");
});

test("--data-dir and --project apply to a single command", async () => {
  const [dataDir, other] = [tempDir(), tempDir()];
  await runCommand(`call thought thought=there sessionTitle=There --data-dir ${other} --project shop`, {
    dataDir,
  });
  expect(JSON.parse((await runCommand("ls --json", { dataDir })).out).sessions).toEqual([]);
  const { sessions } = JSON.parse((await runCommand(`list --json --data-dir ${other}`, { dataDir })).out);
  expect(sessions).toMatchObject([{ title: "There", project: "shop" }]);
});

test("note stores its words as a note, and tasks lists the tasks", async () => {
  const dataDir = tempDir();
  expect((await runCommand("note We keep SQLite", { dataDir })).out).toContain("Noted.");
  expect((await runCommand("tasks", { dataDir })).out).toContain("There are no open plans or tasks.");
  const task = JSON.stringify({ title: "Find the leak", steps: ["Look"] });
  await runCommand(["call", "tasks_create", task], { dataDir });
  const { out } = await runCommand("tasks", { dataDir });
  expect(out).toContain("TASK-001");
  expect(out).toContain("Find the leak");
  const { out: shown } = await runCommand("call show doc=notes", { dataDir });
  expect(shown).toContain("We keep SQLite");
});
