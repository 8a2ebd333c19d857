import { describe, expect, test } from "vitest";
import { backends, createTestApp, startThinking, type TestClient } from "../../support/test-app.ts";
import { snapshotMemory } from "../../support/views/memory-snapshot.ts";

type Args = Record<string, unknown>;

const node = (id: string, more: Args = {}) => ({ op: "node_upsert", id, type: "fact", ...more });

/** Creates a workspace with one of everything. `side` is a branch from main, `deep` from `side`. */
async function fill(client: TestClient): Promise<{ conflict: string; sessionId: string }> {
  await client.call("notes_commit", { content: "first" });
  await client.call("graph_apply", { ops: [node("a"), node("b")] });
  await client.call("branch_create", { name: "side" });
  await client.call("branch_create", { name: "deep", from: "side" });
  await client.call("graph_apply", { branch: "side", ops: [node("a", { title: "theirs" })] });
  await client.call("graph_apply", { ops: [node("a", { title: "ours" })] });
  await client.call("commit", { artifact: "kept", message: "kept" });
  await client.call("tag_create", { name: "v1" });
  const { conflict_ids } = await client.call("graph_merge", { from: "side", into: "main" });
  return { conflict: conflict_ids[0], sessionId: await startThinking(client) };
}

const long = (length: number) => "x".repeat(length);
const unknownBranch: [string, Args][] = [
  ["notes_commit", { content: "x", branch: "nowhere" }],
  ["show", { branch: "nowhere" }],
  ["branch_create", { name: "new", from: "nowhere" }],
  ["branch_rename", { old: "nowhere", new: "somewhere" }],
  ["branch_delete", { name: "nowhere" }],
  ["checkout", { ref: "nowhere" }],
  ["macro_branch_note", { name: "new", from: "nowhere", content: "x" }],
  ["macro_branch_note", { from: "nowhere", content: "x" }],
  ["diff", { from: "main", to: "nowhere" }],
  ["diff", { from: "nowhere", to: "main" }],
  ["merge", { from: "nowhere", into: "main" }],
  ["merge", { from: "side", into: "nowhere" }],
  ["merge", { from: "side", into: "nowhere", doc: "unheard-of" }],
  ["merge", { from: "nowhere", into: "main", doc: "unheard-of", dry_run: true }],
  ["merge", { from: "side", into: "nowhere", doc: "unheard-of", dry_run: true }],
  ["graph_apply", { branch: "nowhere", ops: [node("x")] }],
  ["graph_query", { branch: "nowhere" }],
  ["graph_validate", { branch: "nowhere" }],
  ["graph_diff", { from: "main", to: "nowhere" }],
  ["graph_diff", { from: "nowhere", to: "main" }],
  ["graph_merge", { from: "nowhere", into: "main" }],
  ["graph_merge", { from: "nowhere", merge_to_base: true }],
  ["graph_merge", { from: "side", into: "nowhere" }],
  ["graph_conflicts", { into: "nowhere" }],
  ["docs_list", { ref: "nowhere" }],
  ["log", { ref: "nowhere" }],
  ["reflog", { ref: "nowhere" }],
  ["reset", { ref: "nowhere" }],
  ["tag_create", { name: "v2", from: "nowhere" }],
  ["show", { branch: "session/00000000-0000-4000-8000-000000000000" }],
];

const noConflict = `CONFLICT-${"0".repeat(32)}`;
const unknownId: [string, Args][] = [
  ["open", { id: "nothing" }],
  ["open", { id: "notes@999999" }],
  ["open", { id: "CARD-9" }],
  ["open", { id: "00000000-0000-4000-8000-000000000000" }],
  ["graph_conflict_show", { conflict_id: noConflict }],
  ["graph_conflict_resolve", { conflict_id: noConflict, resolution: "use_from" }],
  ["graph_apply", { ops: [node("x"), { op: "node_delete", id: "nothing" }] }],
  ["graph_apply", { ops: [node("x"), { op: "edge_upsert", from: "x", rel: "r", to: "nothing" }] }],
  ["graph_apply", { ops: [{ op: "edge_delete", from: "a", rel: "r", to: "b" }] }],
  ["tag_delete", { name: "v9" }],
  ["reset", { ref: "notes@999999" }],
  ["tag_create", { name: "v2", from: "notes@999999" }],
  ["show", { target: "TASK-001" }],
];

const badNodes: [string, Args][] = [
  ["a bar in an id", node("a|b")],
  ["a control character in an id", node("a\u0007b")],
  ["a C1 control character in an id", node("a\u0085b")],
  ["a NUL in an id", node("a\u0000b")],
  ["an empty id", node("")],
  ["an id of spaces", node("  ")],
  ["an id that is too long", node(long(257))],
  ["a type that is too long", node("x", { type: long(129) })],
  ["a bar in a type", node("x", { type: "a|b" })],
  ["a new line in a type", node("x", { type: "a\nb" })],
  ["no type", { op: "node_upsert", id: "x" }],
  ["a task's id", node("task:TASK-001")],
  ["a step's id", node("step:STEP-00000001")],
  ["the deletion of a task", { op: "node_delete", id: "task:TASK-001" }],
  ["an edge from a task", { op: "edge_upsert", from: "task:TASK-001", rel: "r", to: "a" }],
  ["an edge to a step", { op: "edge_upsert", from: "a", rel: "r", to: "step:STEP-00000001" }],
  ["a bar in a relation", { op: "edge_upsert", from: "a", rel: "r|s", to: "b" }],
  ["an edge without its relation", { op: "edge_upsert", from: "a", to: "b" }],
  ["an edge with a title", { op: "edge_upsert", from: "a", rel: "r", to: "b", title: "x" }],
  ["an unknown operation", { op: "node_rename", id: "a" }],
  ["meta that is too large", node("x", { meta: { x: long(70_000) } })],
  ["a title that is too long", node("x", { title: long(501) })],
  ["half a surrogate pair", node("x", { title: "\ud800" })],
];

const badNames = [
  "",
  "/lead",
  "a..b",
  "ümlaut",
  "a b",
  long(129),
  "session/x",
  "plan/PLAN-001",
  "task/TASK-1",
];

describe.each(backends)("invalid calls to the memory, on %s", (backend) => {
  /** Expects a refusal with this code and a message, and that nothing was written. With fs, compares the stored rows. */
  async function expectRefused(code: string, calls: readonly (readonly [string, Args])[]): Promise<void> {
    const app = createTestApp({ backend });
    const client = app.modern();
    await fill(client);
    const snapshot = () => (backend === "fs" ? snapshotMemory(app.dataDir) : undefined);
    const before = snapshot();
    for (const [name, args] of calls) {
      const error = await client.refusal(name, args);
      const told = `${name} ${JSON.stringify(args).slice(0, 200)}`;
      expect(error.code, told).toBe(code);
      expect(error.message, told).not.toMatch(/SELECT|INSERT|UPDATE|SQLITE|constraint|undefined|\[object/);
      expect(error.recovery, told).toBeDefined();
      expect(error.message.length, told).toBeLessThan(700);
    }
    expect(snapshot()).toEqual(before);
  }

  test("a branch that was never created is unknown, to reads and writes alike", () =>
    expectRefused("UNKNOWN_ID", unknownBranch));

  test("anything that was never written is unknown", () => expectRefused("UNKNOWN_ID", unknownId));

  test("no graph accepts invalid IDs, types, relations or fields", () =>
    expectRefused(
      "INVALID_PAYLOAD",
      badNodes.map(([, op]) => ["graph_apply", { ops: [node("fine"), op] }] as const),
    ));

  test("a branch cannot get a reserved or invalid name", () =>
    expectRefused(
      "INVALID_PAYLOAD",
      badNames.flatMap((name) => [
        ["branch_create", { name }] as const,
        ["branch_rename", { old: "side", new: name }] as const,
        ["macro_branch_note", { name, content: "x" }] as const,
      ]),
    ));

  test("a branch cannot be merged into itself or into two branches", () =>
    expectRefused("INVALID_PAYLOAD", [
      ["merge", { from: "side", into: "side" }],
      ["merge", { from: "main" }],
      ["graph_merge", { from: "side", into: "side" }],
      ["graph_merge", { from: "main" }],
      ["merge", { from: "deep", into: "main", merge_to_base: true }],
    ]));

  test("a graph can be merged only between a branch and its base", () =>
    expectRefused("MERGE_NOT_SUPPORTED", [
      ["graph_merge", { from: "deep", into: "main" }],
      ["graph_merge", { from: "main", into: "deep" }],
      ["graph_merge", { from: "deep", into: "main", dry_run: true }],
      ["graph_merge", { from: "main", merge_to_base: true }],
      ["merge", { from: "main", merge_to_base: true }],
    ]));

  test("a branch in use cannot be deleted, and a name cannot be used twice", () =>
    expectRefused("CONFLICT", [
      ["branch_delete", { name: "main" }],
      ["branch_delete", { name: "side" }],
      ["branch_create", { name: "side" }],
      ["branch_rename", { old: "side", new: "main" }],
    ]));

  test("a session of the ledger can be read as a branch but not written", async () => {
    const app = createTestApp({ backend });
    const client = app.modern();
    const { sessionId } = await fill(client);
    const branch = `session/${sessionId}`;
    for (const [name, args] of [
      ["notes_commit", { branch, content: "x" }],
      ["graph_apply", { branch, ops: [node("x")] }],
      ["checkout", { ref: branch }],
      ["branch_create", { name: branch }],
      ["branch_create", { name: "copy", from: branch }],
      ["branch_rename", { old: branch, new: "copy" }],
      ["branch_delete", { name: branch }],
      ["macro_branch_note", { name: branch, content: "x" }],
      ["merge", { from: "main", into: branch }],
      ["graph_merge", { from: branch, into: "main" }],
    ] as const)
      expect([name, (await client.refusal(name, args)).code]).toEqual([name, "INVALID_PAYLOAD"]);
    expect((await client.call("show", { branch })).entries).toEqual([]);
  });

  test("a limit or a budget out of bounds is clamped, and the answer reports that", async () => {
    const client = createTestApp({ backend }).modern();
    await fill(client);
    const codes = async (name: string, args: Args) => {
      const { warnings = [] } = await client.call(name, args);
      return warnings.map(({ code }: { code: string }) => code);
    };
    for (const [name, args] of [
      ["show", { doc: "notes" }],
      ["diff", { from: "main", to: "side" }],
      ["branch_list", {}],
      ["graph_query", {}],
      ["graph_diff", { from: "main", to: "side" }],
      ["graph_conflicts", { into: "main" }],
      ["docs_list", {}],
      ["log", {}],
      ["reflog", {}],
      ["tag_list", {}],
    ] as const) {
      for (const limit of [0, 1_000_000_000])
        expect([name, await codes(name, { ...args, limit })]).toEqual([name, ["LIMIT_CLAMPED"]]);
      expect(await codes(name, { ...args, limit: 1, max_chars: 1 }), name).toContain("BUDGET_MIN_CLAMPED");
      expect(await codes(name, { ...args, max_bytes: 0 }), name).toContain("BUDGET_MIN_CLAMPED");
      expect(await codes(name, { ...args, max_chars: 1_000_000_000 }), name).toEqual(["BUDGET_MAX_CLAMPED"]);
      for (const limit of [-1, 1.5, "many", 10 ** 12])
        expect((await client.refusal(name, { ...args, limit })).code, name).toBe("INVALID_PAYLOAD");
    }
  });

  test("a cursor beyond the end returns an empty page, and one before the beginning returns everything", async () => {
    const client = createTestApp({ backend }).modern();
    await fill(client);
    for (const [name, key, args, ends] of [
      ["show", "entries", { doc: "notes" }, [0, 1]],
      ["diff", "entries", { from: "side", to: "main" }, [0, 1]],
      ["graph_query", "nodes", {}, [0, 1]],
      ["graph_diff", "changes", { from: "main", to: "side" }, [0, 1]],
      ["graph_conflicts", "conflicts", { into: "main" }, [9_000_000_000_000_000]],
      ["log", "commits", {}, [0, 1]],
      ["reflog", "moves", {}, [0, 1]],
      ["tag_list", "tags", {}, [0, 1]],
      ["branch_list", "branches", {}, ["zzz"]],
    ] as const) {
      for (const cursor of ends) {
        const page = await client.call(name, { ...args, cursor });
        expect([name, page[key], page.pagination.has_more]).toEqual([name, [], false]);
        expect(page.pagination).not.toHaveProperty("next_cursor");
      }
      const first = (await client.call(name, args))[key];
      expect(first.length, name).toBeGreaterThan(0);
      if (typeof ends[0] === "number" && name !== "graph_conflicts")
        expect((await client.call(name, { ...args, cursor: 9_000_000_000_000_000 }))[key]).toEqual(first);
    }
  });

  test("a branch can be read through 64 bases, and a 65th is refused", async () => {
    const app = createTestApp({ backend });
    const client = app.modern();
    await client.call("notes_commit", { content: "at the bottom" });
    await client.call("graph_apply", { ops: [node("bottom")] });
    for (let depth = 1; depth <= 64; depth += 1)
      await client.call("branch_create", { name: `d${depth}`, from: depth === 1 ? "main" : `d${depth - 1}` });
    await client.call("notes_commit", { branch: "d64", content: "at the top" });
    await client.call("graph_apply", {
      branch: "d64",
      ops: [node("top"), { op: "edge_upsert", from: "top", rel: "on", to: "bottom" }],
    });
    const contents = (entries: { content: string }[]) => entries.map(({ content }) => content);
    const { entries } = await client.call("show", { branch: "d64", doc: "notes" });
    expect(contents(entries)).toEqual(["at the bottom", "at the top"]);
    const { nodes, edges } = await client.call("graph_query", { branch: "d64" });
    expect([nodes.map(({ id }: { id: string }) => id), edges.length]).toEqual([["top", "bottom"], 1]);
    expect((await client.call("diff", { from: "main", to: "d64" })).entries).toHaveLength(1);
    expect((await client.call("graph_diff", { from: "main", to: "d64" })).changes).toHaveLength(2);
    expect(await client.call("graph_validate", { branch: "d64" })).toMatchObject({ ok: true });
    const before = backend === "fs" ? snapshotMemory(app.dataDir) : undefined;
    for (const name of ["branch_create", "macro_branch_note"])
      expect(
        (
          await client.refusal(name, {
            name: "d65",
            from: "d64",
            ...(name !== "branch_create" && { content: "x" }),
          })
        ).code,
      ).toBe("INVALID_PAYLOAD");
    if (before) expect(snapshotMemory(app.dataDir)).toEqual(before);
    expect(await client.call("graph_merge", { from: "d64", merge_to_base: true })).toMatchObject({
      into: "d63",
      merged: 2,
    });
  });
});
