import { describe, expect, test } from "vitest";
import { memoryLimits } from "../../../src/domain/memory/limits.ts";
import { createTestApp, inProcess, shareTestApp, startThinking } from "../../support/test-app.ts";
import { inWorkspace } from "../../support/workspace.ts";

type Entries = { entries: { content: string }[] };
const texts = ({ entries }: Entries) => entries.map(({ content }) => content);
const names = ({ branches }: { branches: { name: string }[] }) => branches.map(({ name }) => name);

describe.each(inProcess)("branches of a %s client on %s", (era, backend) => {
  const app = shareTestApp({ backend });
  const open = () => {
    const place = inWorkspace(app[era]());
    const note = (content: string, branch?: string) =>
      place.call("notes_commit", { content, ...(branch && { branch }) });
    const read = async (branch: string) => texts(await place.call("show", { branch, doc: "notes" }));
    return { ...place, note, read };
  };

  test("see their base as it was, whatever happens there later", async () => {
    const { call, note, read } = open();
    await note("before");
    const { branch } = await call("branch_create", { name: "try" });
    expect(branch).toMatchObject({ name: "try", base_branch: "main", base_seq: expect.any(Number) });
    await note("after");
    await note("tried", "try");
    expect(await read("main")).toEqual(["before", "after"]);
    expect(await read("try")).toEqual(["before", "tried"]);
  });

  test("can be nested up to the limit, and the deepest one can be read", async () => {
    const { call, refusal, note, read } = open();
    await note("0");
    for (let depth = 1; depth <= memoryLimits.depth; depth += 1) {
      await call("branch_create", { name: `b${depth}`, from: depth === 1 ? "main" : `b${depth - 1}` });
      await note(String(depth), `b${depth}`);
    }
    const deepest = `b${memoryLimits.depth}`;
    expect((await read(deepest)).at(0)).toBe(String(memoryLimits.depth - 19));
    const { entries } = await call("show", { branch: deepest, doc: "notes", limit: 200 });
    expect(texts({ entries })).toEqual(Array.from({ length: memoryLimits.depth + 1 }, (_, n) => String(n)));
    expect((await refusal("branch_create", { name: "deeper", from: deepest })).code).toBe("INVALID_PAYLOAD");
  });

  test("are listed by name, page by page", async () => {
    const { call } = open();
    for (const name of ["c", "a", "b"]) await call("branch_create", { name, from: "main" });
    expect(names(await call("branch_list"))).toEqual(["a", "b", "c", "main"]);
    const first = await call("branch_list", { limit: 3 });
    expect(first).toMatchObject({ checkout: "main", pagination: { next_cursor: "c", has_more: true } });
    expect(names(await call("branch_list", { limit: 3, cursor: "c" }))).toEqual(["main"]);
  });

  test("keep everything when they are renamed", async () => {
    const { call, refusal, note, read } = open();
    await note("base");
    await call("macro_branch_note", { name: "old", content: "one" });
    const { refs } = await call("commit", { artifact: "two", message: "two" });
    await call("tag_create", { name: "v1" });
    await call("branch_create", { name: "child" });
    expect(await call("branch_rename", { old: "old", new: "new" })).toMatchObject({
      previous: "old",
      current: "new",
    });
    expect(await read("new")).toEqual(["base", "one", "two"]);
    expect(await read("child")).toEqual(["base", "one", "two"]);
    expect(await call("status")).toMatchObject({ checkout: "new" });
    expect(await call("log", { ref: "v1" })).toMatchObject({ branch: "new", head: refs[0].ref });
    expect((await call("reflog")).moves).toMatchObject([{ branch: "new", ref: refs[0].ref }]);
    expect((await call("branch_list")).branches).toContainEqual(
      expect.objectContaining({ name: "child", base_branch: "new" }),
    );
    expect((await refusal("show", { branch: "old" })).code).toBe("UNKNOWN_ID");
    expect((await refusal("branch_rename", { old: "new", new: "main" })).code).toBe("CONFLICT");
    expect((await refusal("branch_rename", { old: "new", new: "task/TASK-001" })).code).toBe(
      "INVALID_PAYLOAD",
    );
    expect(await call("branch_rename", { old: "new", new: "new" })).toMatchObject({ current: "new" });
  });

  test("can be deleted unless they are in use, and the refusal names the reason", async () => {
    const { call, refusal, note } = open();
    await call("branch_create", { name: "try" });
    await call("branch_create", { name: "try/more", from: "try" });
    await note("x", "try/more");
    const base = await refusal("branch_delete", { name: "try" });
    expect(base).toMatchObject({ code: "CONFLICT", details: { child: "try/more" } });
    await call("checkout", { ref: "try/more" });
    const current = await refusal("branch_delete", { name: "try/more" });
    expect(current).toMatchObject({ code: "CONFLICT", recovery: { operation: "checkout" } });
    expect(await call("status")).toMatchObject({ checkout: "main" });
    for (const name of ["try/more", "try"])
      expect(await call("branch_delete", { name })).toMatchObject({ name, deleted: true });
    expect(names(await call("branch_list"))).toEqual(["main"]);
    expect((await refusal("branch_delete", { name: "try" })).code).toBe("UNKNOWN_ID");
    expect(await refusal("branch_delete", { name: "main" })).toMatchObject({
      code: "CONFLICT",
      recovery: { operation: "branch_list" },
    });
    await call("branch_create", { name: "try" });
    expect(texts(await call("show", { branch: "try", doc: "notes" }))).toEqual([]);
  });

  test("can be checked out, and calls without a branch use the checkout", async () => {
    const { call, refusal, note, read } = open();
    await call("branch_create", { name: "try" });
    expect(await call("checkout", { ref: "try" })).toMatchObject({ previous: "main", current: "try" });
    expect(await call("checkout", { branch: "main" })).toMatchObject({ previous: "try", current: "main" });
    expect(await call("checkout", { name: "try" })).toMatchObject({ previous: "main", current: "try" });
    await note("here");
    expect(await read("try")).toEqual(["here"]);
    expect(await read("main")).toEqual([]);
    expect((await refusal("checkout", { ref: "nowhere" })).code).toBe("UNKNOWN_ID");
  });

  test("that show a session cannot be written", async () => {
    const { refusal, client } = open();
    const session = `session/${await startThinking(client)}`;
    for (const [name, args] of [
      ["checkout", { ref: session }],
      ["branch_create", { name: "x", from: session }],
      ["notes_commit", { branch: session, content: "x" }],
      ["macro_branch_note", { name: session, content: "x" }],
    ] as const)
      expect((await refusal(name, args)).code, name).toBe("INVALID_PAYLOAD");
  });

  describe("macro_branch_note", () => {
    test("creates the branch, switches to it and writes in one call", async () => {
      const { call, note, read } = open();
      await note("base");
      const made = await call("macro_branch_note", { name: "try", content: "first", title: "T" });
      expect(made).toMatchObject({
        branch: { name: "try", created: true },
        checkout: { previous: "main", current: "try" },
        note: { branch: "try", doc: "notes", kind: "note", title: "T", content: "first" },
      });
      expect(await read("try")).toEqual(["base", "first"]);
      expect(await read("main")).toEqual(["base"]);
    });

    test("continues an existing branch, whatever `from` is", async () => {
      const { call } = open();
      await call("macro_branch_note", { name: "try", content: "first" });
      await call("checkout", { ref: "main" });
      const again = await call("macro_branch_note", { name: "try", from: "main", content: "second" });
      expect(again).toMatchObject({
        branch: { name: "try", created: false },
        checkout: { previous: "main" },
      });
    });

    test("without a name switches to `from`, or stays on the current branch", async () => {
      const { call } = open();
      await call("branch_create", { name: "try" });
      const moved = await call("macro_branch_note", { from: "try", content: "x" });
      expect(moved).toMatchObject({
        branch: { name: "try", created: false },
        checkout: { previous: "main", current: "try" },
      });
      const stayed = await call("macro_branch_note", { content: "y" });
      expect(stayed).toMatchObject({
        checkout: { previous: "try", current: "try" },
        note: { branch: "try" },
      });
    });

    test("starts from the base that is named", async () => {
      const { call, note, read } = open();
      await call("branch_create", { name: "a" });
      await note("on main");
      await note("on a", "a");
      await call("macro_branch_note", { name: "b", from: "a", content: "on b" });
      expect(await read("b")).toEqual(["on a", "on b"]);
    });

    test.each(["initiative", "decision"])("fills the template %s with the goal", async (template) => {
      const { call } = open();
      const filled = await call("macro_branch_note", { template, goal: "SQLite or not?" });
      expect(filled.note.content).toContain("SQLite or not?");
      const bare = await call("macro_branch_note", { template });
      expect(bare.note.content).toMatch(/^# /);
    });

    test("leaves nothing behind if any part of it is refused", async () => {
      const { call, refusal, read, note } = open();
      await note("base");
      for (const args of [
        { name: "try", from: "nowhere", content: "x" },
        { name: "task/TASK-009", content: "x" },
        { from: "nowhere", content: "x" },
        { name: "try" },
        { name: "try", template: "decision", content: "My view." },
        { name: "try", content: " \n " },
      ])
        await refusal("macro_branch_note", args);
      expect(names(await call("branch_list"))).toEqual(["main"]);
      expect(await call("status")).toMatchObject({ checkout: "main" });
      expect(await read("main")).toEqual(["base"]);
    });

    test("does not create a workspace if it is refused", async () => {
      const { call, refusal } = open();
      await refusal("macro_branch_note", { from: "nowhere", content: "x" });
      expect(await call("status")).toMatchObject({ workspace_exists: false });
    });
  });
});

test("a shortened list of branches reports that it is shortened", async () => {
  const client = createTestApp().modern();
  for (const at of Array.from({ length: 40 }, (_, number) => number))
    await client.call("branch_create", { name: `try/${"long-name-".repeat(6)}${at}` });
  const cut = await client.call("branch_list", { max_chars: 1_000 });
  expect(cut).toMatchObject({ truncated: true, pagination: { has_more: true } });
  expect(await client.call("branch_list", { limit: 2 })).toMatchObject({ truncated: true });
  expect(await client.call("branch_list", {})).toMatchObject({ truncated: false });
});

test("an ID in an unknown form is refused with the valid forms", async () => {
  const client = createTestApp().modern();
  await client.call("notes_commit", { content: "Something." });
  const { details } = await client.refusal("open", { id: "TICKET#7" });
  expect(details?.["forms"]).toEqual(
    expect.arrayContaining(["TASK-001", "notes@12", "a:storage", "JOB-001", "CARD-1"]),
  );
});
