import { describe, expect, test } from "vitest";
import { createTestApp } from "../../support/test-app.ts";

const job = { title: "Review the fix", prompt: "Read TASK-001 and try to break it." };
const titles = ({ jobs }: { jobs: { title: string }[] }) => jobs.map(({ title }) => title);

test("jobs of an anchor are found under every name that it has had", async () => {
  const client = createTestApp().modern();
  for (const anchor of ["a:store", "a:disk"])
    await client.call("macro_anchor_note", { anchor, title: anchor, kind: "part", content: "x" });
  await client.call("tasks_jobs_create", { ...job, title: "first", anchor: "a:store" });
  await client.call("tasks_jobs_create", { ...job, title: "second", anchor: "a:disk" });
  await client.call("tasks_jobs_create", { ...job, title: "elsewhere", anchor: "a:ui" });
  await client.call("anchors_rename", { from: "a:store", to: "a:storage" });
  await client.call("anchors_merge", { from: ["a:disk"], into: "a:storage" });
  for (const anchor of ["a:storage", "a:store", "a:disk"])
    expect(titles(await client.call("tasks_jobs_list", { anchor }))).toEqual(["second", "first"]);
  expect(titles(await client.call("tasks_jobs_list", { anchor: "a:ui" }))).toEqual(["elsewhere"]);
  expect(await client.refusal("tasks_jobs_list", { anchor: "storage" })).toMatchObject({
    code: "INVALID_PAYLOAD",
  });
});

test("a task that has an anchor as a tag belongs to it under every name that the anchor has had", async () => {
  const client = createTestApp().modern();
  await client.call("macro_anchor_note", { anchor: "a:store", title: "Store", kind: "part", content: "x" });
  await client.call("tasks_create", { title: "A plan" });
  await client.call("tasks_create", { parent: "PLAN-001", title: "A task" });
  await client.call("tasks_edit", { target: "TASK-001", tags: ["a:store", "urgent"] });
  await client.call("anchors_rename", { from: "a:store", to: "a:storage" });
  for (const anchor of ["a:storage", "a:store"]) {
    expect((await client.call("anchor_snapshot", { anchor })).tasks).toMatchObject([{ id: "TASK-001" }]);
    expect((await client.call("open", { id: anchor })).tasks).toMatchObject([{ id: "TASK-001" }]);
    expect((await client.call("tasks_context", { tags: [anchor] })).tasks).toMatchObject([
      { id: "TASK-001" },
    ]);
  }
  expect((await client.call("tasks_context", { tags: ["a:storage", "slow"] })).tasks).toEqual([]);
});

describe("a runner", () => {
  const clock = { now: Date.UTC(2026, 4, 1) };
  const start = () => createTestApp({ clock: () => new Date(clock.now) }).modern();

  test("is known by its claim if it never sent a heartbeat, and is offline once the claim expires", async () => {
    const client = start();
    expect((await client.refusal("open", { id: "runner:r1" })).code).toBe("UNKNOWN_ID");
    await client.call("tasks_jobs_create", job);
    const { claim_revision } = await client.call("tasks_jobs_claim", {
      runner_id: "r1",
      lease_ttl_ms: 60_000,
    });
    expect(await client.call("open", { id: "runner:r1" })).toMatchObject({
      kind: "runner",
      status: "live",
      lease: { runner_id: "r1", active_job_id: "JOB-001", lease_active: true, expires_in_ms: 60_000 },
    });
    clock.now += 60_000;
    expect(await client.call("open", { id: "runner:r1" })).toMatchObject({
      status: "offline",
      lease: { lease_active: false, expires_in_ms: 0 },
    });
    await client.call("tasks_jobs_complete", {
      ...{ job: "JOB-001", claim_revision, runner_id: "r1", status: "DONE" },
    });
    const { status, lease } = await client.call("open", { id: "runner:r1" });
    expect([status, lease]).toEqual(["offline", { runner_id: "r1", lease_active: false, expires_in_ms: 0 }]);
  });

  test("that lost its claim cannot report, and the job shows the runner that took over", async () => {
    const client = start();
    await client.call("tasks_jobs_create", job);
    const { claim_revision } = await client.call("tasks_jobs_claim", {
      runner_id: "r1",
      lease_ttl_ms: 1_000,
    });
    clock.now += 1_000;
    expect((await client.refusal("tasks_jobs_claim", { job: "JOB-001", runner_id: "r2" })).code).toBe(
      "CONFLICT",
    );
    await client.call("tasks_jobs_claim", { job: "JOB-001", runner_id: "r2", allow_stale: true });
    const late = { job: "JOB-001", claim_revision, runner_id: "r1", message: "half way" };
    expect((await client.refusal("tasks_jobs_report", late)).code).toBe("REVISION_MISMATCH");
    expect((await client.call("tasks_jobs_open", { job: "JOB-001" })).job).toMatchObject({ runner: "r2" });
    // At the end, the test client makes the first refusal's suggested call. By then, r2 must be silent too.
    clock.now += 3_600_000;
  });
});

test.each(["DONE", "FAILED", "CANCELED"])(
  "a job that ended (%s) accepts no messages until it is queued again",
  async (status) => {
    const client = createTestApp().modern();
    await client.call("tasks_jobs_create", { title: "Bench", prompt: "Run it." });
    const { claim_revision } = await client.call("tasks_jobs_claim", { job: "JOB-001", runner_id: "r1" });
    await client.call("tasks_jobs_complete", { job: "JOB-001", runner_id: "r1", claim_revision, status });
    const message = { job: "JOB-001", message: "Use the new data." };
    const refused = await client.refusal("tasks_jobs_message", message);
    expect(refused).toMatchObject({
      code: "CONFLICT",
      recovery: { operation: "tasks_jobs_requeue", args: { job: "JOB-001" } },
    });
    await client.call("tasks_jobs_requeue", { job: "JOB-001" });
    expect(await client.call("tasks_jobs_message", message)).toMatchObject({ job: { status: "QUEUED" } });
  },
);
