import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Recovery } from "../../../src/kernel/errors.ts";
import { refusalWithCure } from "../../support/replies/execute-recovery.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { createTestApp, doors, lastingDoors, shareTestApp, ways } from "../../support/test-app.ts";
import { inWorkspace } from "../../support/workspace.ts";

type Issue = { code: string; recovery: Recovery };
const codes = ({ issues }: { issues: Issue[] }) => issues.map(({ code }) => code);

describe.each(ways)("a workspace of a %s client on %s", (era, backend) => {
  const app = shareTestApp({ backend });
  const open = () => inWorkspace(app[era]());

  test("does not exist until the first write, and status reports that", async () => {
    const { call, workspace } = open();
    const before = await call("status");
    expect(before).toMatchObject({ workspace, workspace_exists: false, checkout: null });
    expect(before.text).toBe(
      `Workspace ${workspace} has not been used yet. init or the first note creates it.`,
    );
    for (const field of ["last_doc_entry", "last_task_event", "last_event"])
      expect(before).not.toHaveProperty(field);
    expect(await call("status")).toMatchObject({ workspace_exists: false });
  });

  test("that was never used suggests one that is in use", async () => {
    const client = createTestApp({ backend })[era]();
    expect(await client.call("status")).not.toHaveProperty("suggestions");
    await client.call("notes_commit", { workspace: "shop", content: "kept" });
    const { suggestions } = await client.call("status");
    expect(suggestions).toMatchObject([{ operation: "status", args: { workspace: "shop" } }]);
    expect(await client.call("status", suggestions[0].args)).toMatchObject({ workspace_exists: true });
  });

  test("is prepared once, however often init is called", async () => {
    const { call, workspace } = open();
    const defaults = { branch: "main", docs: { notes: "notes", graph: "graph", trace: "trace" } };
    const first = await call("init");
    expect(first).toMatchObject({ workspace, checkout: "main", defaults });
    expect(first.schema_version).toBeGreaterThan(0);
    await call("macro_branch_note", { name: "try", content: "kept" });
    expect(await call("init")).toEqual({ ...first, checkout: "try" });
    expect((await call("branch_list")).branches).toHaveLength(2);
    expect(await call("status")).toMatchObject({ workspace_exists: true, checkout: "try", defaults });
  });

  test("reports its newest entry, in fields and in words", async () => {
    const { call, workspace } = open();
    const { entry } = await call("notes_commit", { content: "Reads are slow.", doc: "plan" });
    const { last_doc_entry, text } = await call("status");
    const { seq, ts, ts_ms } = entry;
    expect(last_doc_entry).toEqual({ seq, ts, ts_ms, branch: "main", doc: "plan", kind: "note" });
    expect(text).toBe(
      `Workspace ${workspace} is on branch main. Its newest entry is plan@${seq} on main, from ${ts}.`,
    );
  });

  test.each(["status", "diagnostics"])(
    "has a golden path in %s, and every call in it works unchanged",
    async (tool) => {
      const { call } = open();
      for (const state of ["fresh", "in use"]) {
        const { golden_path } = await call(tool);
        expect(golden_path.length, state).toBeGreaterThan(2);
        expect(golden_path.length, state).toBeLessThan(6);
        for (const { operation, args } of golden_path) await call(operation, args);
      }
      expect(await call("tasks_context", {})).toMatchObject({
        plans: [{ id: "PLAN-001" }, { id: "PLAN-002" }],
      });
    },
  );

  test("is diagnosed, and the recoveries fix every issue but the missing target", async () => {
    const { call, client } = open();
    const before = await call("diagnostics");
    expect(before).toMatchObject({ checkout: null, focus: null, target: null });
    expect(before.context_health).toEqual({ status: "missing", docs: 0 });
    expect(codes(before)).toEqual(["WORKSPACE_MISSING", "NO_CHECKOUT", "NO_TARGET"]);
    for (const { recovery } of before.issues as Issue[])
      await client.call(recovery.operation ?? "", recovery.args);
    const after = await call("diagnostics");
    expect(codes(after)).toEqual(["NO_TARGET"]);
    expect(after).toMatchObject({ checkout: "main", context_health: { status: "empty", docs: 0 } });
    const { entry } = await call("notes_commit", { content: "x" });
    expect((await call("diagnostics")).context_health).toMatchObject({
      status: "ok",
      docs: 1,
      last_doc_entry: { seq: entry.seq },
    });
  });

  test.each(["target", "task", "plan"])("has no tasks yet, so %s is unknown", async (field) => {
    const { refusal } = open();
    expect(await refusal("diagnostics", { [field]: "TASK-001" })).toMatchObject({ code: "UNKNOWN_ID" });
  });

  test.each(["status", "diagnostics", "docs_list", "log", "tag_list", "reflog"])(
    "%s stays within any budget",
    async (name) => {
      const long = inWorkspace(app[era](), `w/${name}/${"n".repeat(100)}`);
      await long.call("macro_branch_note", { name: `b/${"r".repeat(120)}`, content: "x" });
      for (const doc of ["d", "e", "f"])
        await long.call("commit", {
          artifact: "x".repeat(500),
          message: `"${"m".repeat(400)}"`,
          docs: [doc.repeat(120), "notes"],
        });
      for (const n of [1, 2, 3]) await long.call("tag_create", { name: `${n}/${"t".repeat(110)}` });
      for (const max_chars of [0, 300, 301, 450, 600, 900, 1_500, 5_000]) {
        const { budget, warnings, suggestions: _suggested, ...answer } = await long.call(name, { max_chars });
        expect(budget.used_chars).toBe(JSON.stringify(answer).length);
        expect(budget.used_chars).toBeLessThanOrEqual(Math.max(300, max_chars));
        expect(budget.truncated).toBe(answer.truncated);
        if (max_chars < 300)
          expect(warnings).toContainEqual(expect.objectContaining({ code: "BUDGET_MIN_CLAMPED" }));
      }
    },
  );
});

describe.each(doors)("guards on %s", (backend) => {
  test("a locked server serves only its own workspace", async () => {
    const env = {
      THOUGHTBOX_WORKSPACE: "mine",
      THOUGHTBOX_WORKSPACE_LOCK: "true",
      THOUGHTBOX_AGENT_ID: "ada",
    };
    const client = createTestApp({ backend, env }).modern();
    for (const name of ["init", "status", "show"])
      expect(await refusalWithCure(client, name, { workspace: "other" })).toMatchObject({
        code: "WORKSPACE_LOCKED",
        details: { workspace: "other", locked_to: "mine" },
      });
    expect(await client.call("init")).toMatchObject({ workspace: "mine" });
    expect((await client.call("status")).workspace_policy).toEqual({
      default_workspace: "mine",
      workspace_lock: true,
      default_agent_id: "ada",
    });
    expect((await client.call("commit", { artifact: "x", message: "x" })).entries[0].agent_id).toBe("ada");
  });

  test("a server that is locked to a project reports that its workspace is locked", async () => {
    const env = { THOUGHTBOX_PROJECT: "mine", THOUGHTBOX_PROJECT_LOCK: "true" };
    const { workspace_policy } = await createTestApp({ backend, env }).modern().call("status");
    expect(workspace_policy).toEqual({ default_workspace: "mine", workspace_lock: true });
  });

  test("a server with an allowlist serves only the workspaces on it", async () => {
    const env = { THOUGHTBOX_WORKSPACE_ALLOW: "acme/repo,acme/site" };
    const client = createTestApp({ backend, env }).modern();
    const refused = await refusalWithCure(client, "notes_commit", { workspace: "other", content: "x" });
    expect(refused).toMatchObject({ code: "WORKSPACE_NOT_ALLOWED", recovery: { operation: "status" } });
    const { workspace_policy } = await client.call("status", { workspace: "acme/site" });
    expect(workspace_policy).toMatchObject({
      workspace_lock: false,
      workspace_allow: ["acme/repo", "acme/site"],
    });
  });
});

test.each(lastingDoors)(
  "a workspace stays with the project that first wrote to it, on %s",
  async (backend) => {
    const dataDir = join(tempDir(), "data");
    const guarded = (THOUGHTBOX_PROJECT_GUARD: string) =>
      createTestApp({ backend, dataDir, env: { THOUGHTBOX_PROJECT_GUARD } });
    const alpha = guarded("alpha");
    const owner = alpha.modern();
    const place = { workspace: "shared" };
    expect((await owner.call("status", place)).workspace_policy).toMatchObject({
      project_guard_configured: "alpha",
    });
    await owner.call("init", place);
    expect((await owner.call("status", place)).workspace_policy).toMatchObject({
      project_guard_configured: "alpha",
      project_guard_stored: "alpha",
    });
    await alpha.close();
    const unguarded = createTestApp({ backend, dataDir });
    for (const [own, app] of [
      ["beta-own", guarded("beta")],
      ["free", unguarded],
    ] as const) {
      const stranger = app.modern();
      for (const name of ["status", "show", "init"])
        expect((await refusalWithCure(stranger, name, place)).code).toBe("PROJECT_GUARD_MISMATCH");
      expect(await stranger.call("init", { workspace: own })).toMatchObject({ workspace: own });
      await app.close();
    }
  },
);
