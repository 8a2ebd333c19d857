import { expect, test } from "vitest";
import { jobRank, runnerState } from "./job.ts";
import {
  claimJob,
  completeJob,
  createJob,
  heartbeat,
  messageJob,
  reportJob,
  requeueJob,
} from "./job-changes.ts";

const now = (now_ms: number) => ({ workspace: "w", now_ms });
const { job } = createJob({ ...now(0), next: 1 }, { title: "Look", prompt: "Look at it" });
const running = claimJob({ ...now(1_000), job }, { runner_id: "r1", lease_ttl_ms: 5_000 }).job;
const mine = { claim_revision: running.revision, runner_id: "r1" };

test("a job is queued, claimed and completed", () => {
  expect(job).toMatchObject({ id: "JOB-001", status: "QUEUED", revision: 1, priority: "MEDIUM" });
  expect(running).toMatchObject({ status: "RUNNING", runner: "r1", lease_expires_at_ms: 6_000, revision: 2 });
  expect(
    completeJob({ ...now(2_000), job: running }, { ...mine, status: "DONE", summary: "fine" }).job,
  ).toMatchObject({
    status: "DONE",
    summary: "fine",
    completed_at_ms: 2_000,
    revision: 3,
  });
});

test("a report renews the lease and keeps the claim", () => {
  const { job: reported, event } = reportJob(
    { ...now(4_000), job: running },
    { ...mine, message: "half", percent: 50, lease_ttl_ms: 5_000 },
  );
  expect(reported).toMatchObject({ revision: 2, lease_expires_at_ms: 9_000 });
  expect(event).toMatchObject({ kind: "progress", percent: 50 });
});

test("a running job can be claimed only if its lease has expired and stale jobs are requested", () => {
  const claim = { runner_id: "r2" };
  expect(() => claimJob({ ...now(2_000), job: running }, { ...claim, allow_stale: true })).toThrow(
    /job_not_claimable/,
  );
  expect(() => claimJob({ ...now(7_000), job: running }, claim)).toThrow(/job_not_claimable/);
  const taken = claimJob({ ...now(7_000), job: running }, { ...claim, allow_stale: true });
  expect(taken).toMatchObject({ job: { runner: "r2", revision: 3 }, event: { kind: "reclaimed" } });
});

test("a runner that lost its claim cannot report or complete the job", () => {
  const taken = claimJob({ ...now(7_000), job: running }, { runner_id: "r2", allow_stale: true }).job;
  const facts = { ...now(8_000), job: taken };
  expect(() => reportJob(facts, { ...mine, message: "still here" })).toThrow(/stale_claim/);
  expect(() => completeJob(facts, { claim_revision: 3, runner_id: "r1", status: "DONE" })).toThrow(
    /not_the_runner/,
  );
  expect(() => reportJob({ ...facts, job }, { ...mine, message: "x" })).toThrow(/job_not_running/);
});

test("a failed job can be queued again without its runner", () => {
  const failed = completeJob({ ...now(2_000), job: running }, { ...mine, status: "FAILED" }).job;
  const { job: again, event } = requeueJob({ ...now(3_000), job: failed }, {});
  expect(again).toMatchObject({ status: "QUEUED", revision: 4 });
  expect(again).not.toHaveProperty("runner");
  expect(event).toMatchObject({ kind: "requeued", message: "queued again" });
});

test("a message changes only the time of the last update", () => {
  expect(messageJob({ ...now(9_000), job: running }, { message: "hurry" }).job).toEqual({
    ...running,
    updated_at_ms: 9_000,
  });
});

test("a runner is offline once its lease expires, whatever status it reported", () => {
  const runner = heartbeat(
    { runner: undefined, now_ms: 0 },
    { runner_id: "r1", status: "live", lease_ttl_ms: 5_000 },
  );
  expect(runnerState(runner, 4_999)).toEqual({ status: "live", lease_active: true, expires_in_ms: 1 });
  expect(runnerState(runner, 5_000)).toEqual({ status: "offline", lease_active: false, expires_in_ms: 0 });
  expect(heartbeat({ runner, now_ms: 9 }, { runner_id: "r1", status: "idle" })).toMatchObject({
    created_at_ms: 0,
    updated_at_ms: 9,
  });
});

test("a job with high priority comes before one with low priority", () => {
  expect(jobRank({ priority: "HIGH" })).toBeLessThan(jobRank({ priority: "LOW" }));
});
