import { describe, expect, test } from "vitest";
import { inProcess, shareTestApp } from "../../support/test-app.ts";
import { inWorkspace } from "../../support/workspace.ts";

const messages = ({ commits }: { commits: { title: string }[] }) => commits.map(({ title }) => title);

describe.each(inProcess)("commits of a %s client on %s", (era, backend) => {
  const app = shareTestApp({ backend });
  const open = () => {
    const place = inWorkspace(app[era]());
    /** Returns the ref of the new commit. */
    const commit = async (message: string, docs?: string | string[]): Promise<string> => {
      const args = { artifact: `about ${message}`, message, ...(docs !== undefined && { docs }) };
      return (await place.call("commit", args)).refs[0].ref;
    };
    const log = async (args: object = {}) => messages(await place.call("log", args));
    return { ...place, commit, log };
  };

  test("are notes that a ref points to", async () => {
    const { call, workspace } = open();
    const args = { artifact: "Cache the reads.", message: "Decision", meta: { why: "p99" } };
    const { entries, refs, ...rest } = await call("commit", args);
    expect(rest).toMatchObject({ workspace, branch: "main" });
    const [{ seq }] = entries;
    const note = { title: "Decision", content: "Cache the reads.", kind: "note", meta: { why: "p99" } };
    expect(entries).toMatchObject([{ ...note, ref: `notes@${seq}`, parent: null, branch: "main" }]);
    expect(refs).toEqual([{ branch: "main", doc: "notes", seq, ref: `notes@${seq}` }]);
    const { entries: shown } = await call("show", { doc: "notes" });
    expect(shown).toMatchObject([{ seq, ...note }]);
  });

  test("go to several documents at once, once to each, and either to all or to none", async () => {
    const { call, client, workspace, log } = open();
    const args = { artifact: "x", message: "both", docs: ["notes", "plan", "notes"] };
    const { refs } = await call("commit", args);
    expect(refs.map(({ doc }: { doc: string }) => doc)).toEqual(["notes", "plan"]);
    expect(await log({ doc: "plan" })).toEqual(["both"]);
    for (const docs of [[], ["notes", "not a name"], ["notes", ""]])
      expect((await client.refusal("commit", { workspace, artifact: "x", message: "no", docs })).code).toBe(
        "INVALID_PAYLOAD",
      );
    expect(await log()).toEqual(["both"]);
  });

  test("accept a single document without a list", async () => {
    const { commit, log } = open();
    expect(await commit("alone", "plan")).toMatch(/^plan@\d+$/);
    expect(await log({ doc: "plan" })).toEqual(["alone"]);
    expect(await log()).toEqual([]);
  });

  test("can be named with their number alone, unless a branch or tag has that name", async () => {
    const { call, commit, log, refusal } = open();
    const [first, second] = [await commit("first"), await commit("second")];
    const [one, two] = [first, second].map((ref) => ref.split("@")[1] ?? "") as [string, string];
    expect(await log({ ref: one })).toEqual(["first"]);
    expect(await log({ ref: Number(one) })).toEqual(["first"]);
    expect(await log({ ref: two })).toEqual(["second", "first"]);
    await call("tag_create", { name: "start", from: Number(one) });
    expect(await call("tag_list")).toMatchObject({ tags: [{ name: "start", ref: first }] });
    expect((await refusal("log", { ref: "999999" })).code).toBe("UNKNOWN_ID");
    expect((await refusal("log", { ref: one, doc: "plan" })).code).toBe("INVALID_PAYLOAD");
    await call("tag_create", { name: two, from: one });
    expect(await log({ ref: two }), "a tag of that name takes precedence").toEqual(["first"]);
  });

  test("are created once per idempotency key", async () => {
    const { call, log } = open();
    const args = { artifact: "x", message: "once", docs: ["notes", "plan"], idempotencyKey: "k" };
    expect(await call("commit", args)).toEqual(await call("commit", args));
    expect(await log()).toEqual(["once"]);
    expect((await call("reflog")).moves).toHaveLength(2);
  });

  test("are listed newest first, page by page, without plain notes", async () => {
    const { call, commit, log } = open();
    for (const n of ["1", "2", "3", "4", "5"]) {
      await commit(n);
      await call("notes_commit", { content: `beside ${n}` });
    }
    expect(await log()).toEqual(["5", "4", "3", "2", "1"]);
    const first = await call("log", { limit: 2 });
    expect(first.pagination).toMatchObject({ has_more: true, count: 2, next_cursor: first.commits[1].seq });
    expect(first.commits[0].parent).toBe(first.commits[1].seq);
    const second = await call("log", { limit: 2, cursor: first.pagination.next_cursor });
    const third = await call("log", { limit: 2, cursor: second.pagination.next_cursor });
    expect([first, second, third].flatMap(messages)).toEqual(["5", "4", "3", "2", "1"]);
    expect(third.pagination).toMatchObject({ has_more: false });
    expect(third.pagination).not.toHaveProperty("next_cursor");
  });

  test("of a branch continue from the fork point of its base", async () => {
    const { call, commit, log } = open();
    await commit("base");
    await call("branch_create", { name: "try" });
    await commit("later on main");
    expect(await log({ ref: "try" })).toEqual(["base"]);
    await call("checkout", { ref: "try" });
    await commit("tried");
    expect(await log()).toEqual(["tried", "base"]);
    expect(await log({ ref: "main" })).toEqual(["later on main", "base"]);
  });

  test("that a reset dropped are missing from later logs, but stay in the reflog and in show", async () => {
    const { call, commit, log } = open();
    const one = await commit("one");
    const two = await commit("two");
    const before = await call("show", { doc: "notes" });
    expect(await call("reset", { ref: one })).toMatchObject({
      branch: "main",
      doc: "notes",
      previous: { ref: two },
      current: { ref: one },
    });
    expect(await log()).toEqual(["one"]);
    expect(await call("show", { doc: "notes" })).toEqual(before);
    const three = await commit("three");
    expect(await log()).toEqual(["three", "one"]);
    const { moves } = await call("reflog");
    expect(moves.map(({ action, ref }: any) => [action, ref])).toEqual([
      ["commit", three],
      ["reset", one],
      ["commit", two],
      ["commit", one],
    ]);
    expect(moves[0].previous).toBe(moves[1].current);
    await call("reset", { ref: two });
    expect(await log()).toEqual(["two", "one"]);
  });

  test("that a reset dropped on a base remain on a branch created before, and diff and merge respect that", async () => {
    const { call, commit, log } = open();
    const one = await commit("one");
    await commit("two");
    await call("branch_create", { name: "try" });
    await call("reset", { ref: one });
    expect(await log({ ref: "try" })).toEqual(["two", "one"]);
    await call("branch_create", { name: "after" });
    expect(await log({ ref: "after" })).toEqual(["one"]);
    expect((await call("diff", { from: "after", to: "try" })).entries).toEqual([]);
    await call("checkout", { ref: "after" });
    await commit("three");
    expect(await call("merge", { from: "after", into: "main" })).toMatchObject({ merged: 1 });
  });

  test("a reset to the current position of the ref moves nothing", async () => {
    const { call, commit } = open();
    const one = await commit("one");
    await call("reset", { ref: one });
    await call("reset", { ref: "main" });
    expect((await call("reflog")).moves).toHaveLength(1);
  });

  test("each document has a separate ref", async () => {
    const { call, commit, log } = open();
    const plan = await commit("one", "plan");
    await commit("two", ["notes", "plan"]);
    await call("reset", { ref: plan });
    expect(await log({ doc: "plan" })).toEqual(["one"]);
    expect(await log()).toEqual(["two"]);
    expect(await log({ ref: plan })).toEqual(["one"]);
  });

  test("a reset accepts only commits that the checkout shows", async () => {
    const { call, refusal, commit, log } = open();
    await commit("base");
    await call("branch_create", { name: "try" });
    await call("checkout", { ref: "try" });
    const tried = await commit("tried");
    await call("tag_create", { name: "tried" });
    await call("checkout", { ref: "main" });
    const later = await commit("later");
    for (const ref of [tried, "tried", "try"])
      expect(await refusal("reset", { ref })).toMatchObject({
        code: "UNKNOWN_ID",
        details: { branch: "main", found_on: "try" },
      });
    await call("checkout", { ref: "try" });
    expect((await refusal("reset", { ref: later })).code).toBe("UNKNOWN_ID");
    expect(await log()).toEqual(["tried", "base"]);
    expect((await call("reflog")).moves).toHaveLength(1);
  });

  test("tags stay where they were set, and move only with force", async () => {
    const { call, refusal, commit, log } = open();
    const one = await commit("one");
    const { tag } = await call("tag_create", { name: "v1" });
    expect(tag).toMatchObject({ name: "v1", ref: one, branch: "main", doc: "notes" });
    const two = await commit("two");
    expect(await log({ ref: "v1" })).toEqual(["one"]);
    expect(await refusal("tag_create", { name: "v1" })).toMatchObject({ code: "CONFLICT" });
    expect((await call("tag_create", { name: "v1", from: one })).tag).toMatchObject(tag);
    expect((await call("tag_create", { name: "v1", force: true })).tag.ref).toBe(two);
    await call("tag_create", { name: "v0", from: one });
    await call("tag_create", { name: "v2", from: "v1" });
    const { tags } = await call("tag_list");
    expect(tags.map(({ name, ref }: any) => [name, ref])).toEqual([
      ["v2", two],
      ["v0", one],
      ["v1", two],
    ]);
    expect(await call("tag_delete", { name: "v1" })).toMatchObject({ name: "v1", deleted: true });
    expect((await refusal("tag_delete", { name: "v1" })).code).toBe("UNKNOWN_ID");
    expect((await refusal("log", { ref: "v1" })).code).toBe("UNKNOWN_ID");
  });

  test("tags are listed page by page", async () => {
    const { call, commit } = open();
    await commit("one");
    for (const name of ["a", "b", "c"]) await call("tag_create", { name });
    const first = await call("tag_list", { limit: 2 });
    const { next_cursor } = first.pagination;
    const second = await call("tag_list", { limit: 2, cursor: next_cursor });
    const names = [...first.tags, ...second.tags].map(({ name }: { name: string }) => name);
    expect(names).toEqual(["c", "b", "a"]);
    expect(second.pagination).toMatchObject({ has_more: false, count: 1 });
  });

  test("a tag cannot take a branch's name, nor a branch a tag's", async () => {
    const { call, refusal, commit } = open();
    await commit("one");
    expect(await refusal("tag_create", { name: "main", force: true })).toMatchObject({
      code: "CONFLICT",
      recovery: { operation: "branch_list" },
    });
    await call("tag_create", { name: "both" });
    await commit("two");
    expect(await refusal("branch_create", { name: "both" })).toMatchObject({
      code: "CONFLICT",
      recovery: { operation: "tag_list" },
    });
  });

  test("tags and commits of a deleted branch disappear with it", async () => {
    const { call, refusal, commit } = open();
    await call("branch_create", { name: "try" });
    await call("checkout", { ref: "try" });
    const tried = await commit("tried");
    await call("tag_create", { name: "v1" });
    await call("checkout", { ref: "main" });
    await call("branch_delete", { name: "try" });
    for (const ref of [tried, "v1", "try"])
      expect((await refusal("log", { ref })).code, ref).toBe("UNKNOWN_ID");
    expect((await call("tag_list")).tags).toEqual([]);
  });

  test("a tag hidden with its branch keeps its name reserved, and is restored with the branch", async () => {
    const { call, refusal, commit } = open();
    const first = await commit("kept");
    await call("branch_create", { name: "try" });
    await call("checkout", { ref: "try" });
    const tried = await commit("tried");
    await call("tag_create", { name: "v1" });
    await call("checkout", { ref: "main" });
    await call("branch_delete", { name: "try" });
    expect(await refusal("tag_create", { name: "v1", from: first })).toMatchObject({
      code: "CONFLICT",
      details: { branch: "try" },
      recovery: { operation: "branch_list", args: { status: "deleted" } },
    });
    expect(await refusal("branch_create", { name: "v1" })).toMatchObject({
      code: "CONFLICT",
      recovery: { operation: "branch_list" },
    });
    await call("branch_restore", { name: "try" });
    expect((await call("tag_list")).tags).toMatchObject([{ name: "v1", ref: tried }]);

    await call("branch_delete", { name: "try" });
    await call("tag_create", { name: "v1", from: first, force: true });
    expect((await call("tag_list")).tags).toMatchObject([{ name: "v1", ref: first }]);
  });

  test("a commit named with the wrong document is refused with the right one", async () => {
    const { call, refusal, commit } = open();
    const ref = await commit("one");
    const wrong = ref.replace("notes", "plan");
    for (const [name, args] of [
      ["log", { ref: wrong }],
      ["log", { ref, doc: "plan" }],
      ["reset", { ref: wrong }],
      ["reflog", { ref: wrong }],
      ["docs_list", { ref: wrong }],
      ["tag_create", { name: "v1", from: wrong }],
    ] as const)
      expect(await refusal(name, args), name).toMatchObject({
        code: "INVALID_PAYLOAD",
        recovery: { args: { ref } },
      });
    await call("tag_create", { name: "v1" });
    expect((await refusal("log", { ref: "v1", doc: "plan" })).recovery?.args).toMatchObject({ ref });
  });

  test("a ref that is not a commit is unknown, even if nothing was written yet", async () => {
    const { call, refusal } = open();
    for (const name of ["log", "reflog", "docs_list"]) {
      for (const ref of ["notes@1", "v1"]) expect((await refusal(name, { ref })).code).toBe("UNKNOWN_ID");
      await open().call(name);
    }
    const { entry } = await call("notes_commit", { content: "a plain note" });
    for (const ref of [`notes@${entry.seq}`, "notes@999999", "nowhere"])
      for (const name of ["log", "reset", "reflog"])
        expect((await refusal(name, { ref })).code, `${name} ${ref}`).toBe("UNKNOWN_ID");
    for (const [name, args] of [
      ["reset", { ref: "main" }],
      ["tag_create", { name: "v1" }],
    ] as const)
      expect(await refusal(name, args)).toMatchObject({
        code: "UNKNOWN_ID",
        message: '"main" has no commits in notes yet.',
      });
    expect(await call("log")).toMatchObject({ head: null, commits: [] });
  });

  test("documents are listed as the branch shows them", async () => {
    const { call, commit } = open();
    await commit("one", ["plan", "notes"]);
    await call("graph_apply", { doc: "plan", ops: [{ op: "node_upsert", id: "a", type: "note" }] });
    await call("branch_create", { name: "try" });
    await call("notes_commit", { content: "x", doc: "later" });
    await call("notes_commit", { content: "x", branch: "try", doc: "own" });
    const list = async (args: object = {}) =>
      (await call("docs_list", args)).docs.map(({ doc, form }: any) => `${doc} ${form}`);
    expect(await list()).toEqual(["later log", "notes log", "plan graph", "plan log"]);
    expect(await list({ ref: "try" })).toEqual(["notes log", "own log", "plan graph", "plan log"]);
    const first = await call("docs_list", { limit: 3 });
    expect(first.pagination).toMatchObject({ has_more: true, next_cursor: "plan#graph" });
    expect(await list({ limit: 3, cursor: first.pagination.next_cursor })).toEqual(["plan log"]);
  });
});
