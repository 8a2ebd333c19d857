import { describe, expect, test } from "vitest";
import { catalogue } from "../../src/operations/catalogue.ts";
import { doors, shareTestApp } from "../support/test-app.ts";
import { inWorkspace } from "../support/workspace.ts";

const reads = catalogue.filter(({ family, effect }) => family === "memory" && effect === "read");

/**
 * The arguments that some reads need in addition to the workspace. The other reads need no other argument, or
 * only an item's ID.
 */
const asked: Record<string, object> = {
  diff: { from: "main", to: "main" },
  graph_diff: { from: "main", to: "main" },
  graph_conflicts: { into: "main" },
  think_query: { types: ["decision"] },
};

/** Reads of an item, which a fresh workspace does not have, and reads that do not concern the workspace. */
const needsThing = [
  "open",
  "graph_conflict_show",
  "tasks_jobs_open",
  "tasks_delta",
  "tasks_step_lease_get",
  "anchor_snapshot",
  "git_trailer",
  "recall",
  "versions",
  "walk",
  "why",
  "why_file",
  "why_session",
  "transcripts_search",
  "transcripts_digest",
  "transcripts_open",
  "think_playbook",
  "think_template",
  "status",
  "diagnostics",
];

describe.each(doors)("a workspace that was never written to, over %s", (backend) => {
  const app = shareTestApp({ backend });

  test("suggests init in the answer to every read", async () => {
    const looked: string[] = [];
    for (const { name } of reads.filter(({ name }) => !needsThing.includes(name))) {
      const { call } = inWorkspace(app.modern());
      const answer = await call(name, asked[name]);
      expect(answer.suggestions, name).toContainEqual(
        expect.objectContaining({ operation: "init", priority: "high" }),
      );
      looked.push(name);
    }
    expect(looked.length).toBeGreaterThan(25);
  });

  test("has an empty branch main and no other branch", async () => {
    const { call, refusal } = inWorkspace(app.modern());
    expect(await call("show")).toMatchObject({ branch: "main", entries: [], pagination: { count: 0 } });
    expect(await call("graph_query")).toMatchObject({ branch: "main", nodes: [], edges: [] });
    expect(await call("log")).toMatchObject({ commits: [] });
    expect(await call("show", { branch: "main" })).toMatchObject({ entries: [] });
    expect((await refusal("show", { branch: "elsewhere" })).code).toBe("UNKNOWN_ID");
    expect((await refusal("open", { id: "CARD-1" })).code).toBe("UNKNOWN_ID");
    expect(await call("status")).toMatchObject({ workspace_exists: false });
  });

  test("reports that there is no plan yet, before and after init", async () => {
    const { call } = inWorkspace(app.modern());
    for (const start of [undefined, "init"]) {
      if (start) await call(start);
      const answers = [await call("tasks_radar"), await call("export"), await call("tasks_resume_super")];
      expect(answers).toMatchObject([
        { radar: { now: "No plans or tasks yet." }, focus: null },
        { notes: { entries: [] }, trace: { entries: [] } },
        { capsule: { next: { title: expect.stringContaining("create a plan") } } },
      ]);
      for (const { suggestions } of answers)
        expect(suggestions).toContainEqual(expect.objectContaining({ operation: "tasks_create" }));
    }
  });
});
