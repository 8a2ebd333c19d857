import * as z from "zod";
import { runnerState } from "../../../domain/tasks/job.ts";
import { heartbeat } from "../../../domain/tasks/job-changes.ts";
import { defineMemory } from "../define-memory.ts";
import { meta } from "../fields.ts";
import { jobField } from "../tasks/fields.ts";
import { leaseTtl, runnerId } from "./job-fields.ts";

export const tasksRunnerHeartbeat = defineMemory({
  name: "tasks_runner_heartbeat",
  title: "Send a runner's heartbeat",
  summary:
    "Reports that a runner is alive and which job it is working on. A runner that stops sending heartbeats counts as offline.",
  effect: "write",
  input: {
    runner_id: runnerId,
    status: z.enum(["idle", "live"]).describe("live if it is working on a job, otherwise idle."),
    active_job_id: jobField.optional(),
    lease_ttl_ms: leaseTtl,
    meta: meta.optional(),
  },
  advanced: ["lease_ttl_ms", "meta"],
  output: {
    runner_id: z.string(),
    status: z.enum(["idle", "live", "offline"]),
    lease_expires_at_ms: z.int(),
    expires_in_ms: z.int(),
  },
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "waiting", input: { runner_id: "r1", status: "idle" } }],

  async handle(beat, memory) {
    const [{ runner }] = await memory.commit([
      { do: "runner_heartbeat", runner_id: beat.runner_id, decide: (facts) => heartbeat(facts, beat) },
    ]);
    const { status, expires_in_ms } = runnerState(runner, memory.clock().getTime());
    return {
      runner_id: runner.runner_id,
      status,
      lease_expires_at_ms: runner.lease_expires_at_ms,
      expires_in_ms,
    };
  },
});
