import { describe, expect, test } from "vitest";
import { runCommand } from "../support/cli.ts";
import { openRaw } from "../support/disk/raw-database.ts";
import { dump, newDir, openStore, prepareMemory, viewOf, workspace } from "./prepared-memory.ts";

describe("doctor and the memory", () => {
  async function examine(dataDir: string, flags = "") {
    const { out } = await runCommand(`doctor ${flags} --json`, { dataDir, env: { PORT: "0" } });
    const { checks, reindexed } = JSON.parse(out);
    return { ...checks.find(({ name }: any) => name === "memory"), reindexed };
  }

  test("counts its contents", async () => {
    expect(await examine(await prepareMemory())).toMatchObject({
      state: "good",
      says: "2 workspaces: 3 branches, 4 entries, 3 graph versions, all consistent",
    });
  });

  test.each([
    ["UPDATE graph_versions SET superseded = NULL", "1 key has more than one current version on a branch"],
    [
      "UPDATE graph_versions SET superseded = 9999 WHERE superseded IS NOT NULL",
      "1 version refers to a wrong successor",
    ],
    [
      "UPDATE graph_versions SET visible = 0 WHERE superseded IS NOT NULL",
      "1 version is not visible on a branch that contains it",
    ],
    [
      "UPDATE graph_versions SET visible = 0 WHERE superseded IS NULL",
      "2 versions are not visible on a branch that contains them",
    ],
    ["DELETE FROM graph_facets", "3 nodes cannot be found by type"],
    [
      "DELETE FROM memory_streams WHERE form = 'graph'",
      "3 rows belong to a document that its branch does not list",
    ],
    [
      "UPDATE memory_branches SET erased = 1 WHERE name = 'try/x'",
      "2 documents are left over from an erased branch",
    ],
    [
      "UPDATE memory_workspaces SET checkout = 99 WHERE name = 'other'",
      "1 workspace has checked out a branch that does not exist",
    ],
    ["DELETE FROM memory_commits", "1 tag refers to a commit that does not exist"],
  ])("%s", async (damage, sentence) => {
    const dataDir = await prepareMemory();
    const db = openRaw(dataDir);
    db.exec(damage);
    db.close();
    const { state, says, next } = await examine(dataDir);
    expect(state).toBe("bad");
    expect(says).toContain(sentence);
    expect(next).toContain("thoughtbox dump");
  });

  test("restores a consistent memory from the dump of an inconsistent one", async () => {
    const dataDir = await prepareMemory();
    const whole = await viewOf(dataDir);
    const db = openRaw(dataDir);
    db.exec("UPDATE graph_versions SET superseded = NULL, visible = 1; DELETE FROM graph_facets");
    db.close();
    const other = newDir();
    await runCommand(["restore", await dump(dataDir)], { dataDir: other });
    expect((await examine(other)).state).toBe("good");
    expect(await viewOf(other)).toEqual(whole);
  });

  test("restores lost words with --reindex", async () => {
    const dataDir = await prepareMemory();
    const store = openStore(dataDir);
    const found = () =>
      store.memory.queryNodes(workspace, {
        ...{ branch: "main", doc: "graph", text: "large", includeDeleted: false, limit: 5 },
      });
    expect((await found()).nodes).toHaveLength(1);
    const db = openRaw(dataDir);
    db.exec("INSERT INTO graph_words (graph_words) VALUES ('delete-all')");
    db.close();
    expect(await examine(dataDir)).toMatchObject({ state: "bad", next: "thoughtbox doctor --reindex" });
    expect((await found()).nodes).toHaveLength(0);
    expect(await examine(dataDir, "--reindex")).toMatchObject({
      state: "good",
      // Nine thoughts and four notes share one index.
      reindexed: { thoughts: 13, nodes: 3 },
    });
    expect((await found()).nodes).toHaveLength(1);
  });
});

describe("memory operations on the command line", () => {
  test("take fields, JSON and --workspace", async () => {
    const dataDir = newDir();
    const call = async (...words: string[]) => {
      const { code, out, err } = await runCommand(["call", ...words], { dataDir });
      expect(code, err).toBe(0);
      return JSON.parse(out);
    };
    await call("notes_commit", "content=One", "--workspace", workspace);
    await call("notes_commit", `{"content":"Two","workspace":"${workspace}"}`);
    await call("notes_commit", "content=Three", "workspace=other", "--workspace", workspace);
    const { entries } = await call("show", "doc=notes", "--workspace", workspace);
    expect(entries.map(({ content }: any) => content)).toEqual(["One", "Two"]);
  });

  test.each(["serve", "stdio", "call show"])("%s refuses a name that no workspace can have", async (line) => {
    const { code, err } = await runCommand(`${line} --workspace 'a b'`, { dataDir: newDir() });
    expect(code).toBe(1);
    expect(err).toMatch(/--workspace is "a b". It must be/);
  });

  test("have a help page and are offered in every shell's completion", async () => {
    const dataDir = newDir();
    const { out } = await runCommand("help notes_commit", { dataDir, columns: 60 });
    expect(out).toContain("thoughtbox call notes_commit content=…");
    expect(out).toMatch(/content +Text of the note\. Required\./);
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(70);
    for (const shell of ["bash", "zsh", "fish"])
      expect((await runCommand(`completion ${shell}`, { dataDir })).out).toContain("notes_commit");
  });
});
