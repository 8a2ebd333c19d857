import * as z from "zod";
import { namesFor } from "../../../domain/memory/meaning-map/meaning-anchor.ts";
import { jobNumber } from "../../../domain/tasks/ids.ts";
import { jobStatuses } from "../../../domain/tasks/job.ts";
import { clampedLimit } from "../../pipeline/fields.ts";
import { anchorId } from "../anchors/anchor-fields.ts";
import { loadAnchors } from "../anchors/read-anchor.ts";
import { defineMemory } from "../define-memory.ts";
import { cursor, pagination } from "../fields.ts";
import { describePage } from "../paging.ts";
import { target, targetAliases } from "../tasks/fields.ts";
import { fmt, jobSchema, showJob, stubJob } from "./job-fields.ts";

export const tasksJobsList = defineMemory({
  name: "tasks_jobs_list",
  title: "Jobs",
  summary: "Lists jobs, newest first.",
  effect: "read",
  input: {
    status: z.enum(jobStatuses).optional().describe("Only jobs of this status."),
    anchor: anchorId.optional().describe("Only jobs of this anchor, under any name that it had."),
    target: target.describe("Only jobs of this task."),
    limit: clampedLimit(20),
    cursor: cursor.optional(),
    fmt,
  },
  advanced: ["fmt", "anchor"],
  aliases: targetAliases,
  output: { jobs: z.array(jobSchema), has_more: z.boolean(), pagination },
  trim: {
    list: { key: "jobs", oldest: "last", cursor: ({ id }) => jobNumber(String(id)), stub: stubJob },
    adjust: (result) => ({ ...result, has_more: true }),
  },
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "what waits", given: "a job", input: { status: "QUEUED" } }],

  async handle({ status, anchor, target, cursor, limit }, memory) {
    const anchors = anchor === undefined ? undefined : namesFor(await loadAnchors(memory), anchor);
    const wanted = { status, anchors, task: target, before: cursor, limit };
    const { jobs, hasMore } = await memory.memory.listJobs(memory.workspace, wanted);
    const last = jobs.at(-1);
    const page = { cursor, limit, count: jobs.length, hasMore, next: last && jobNumber(last.id) };
    return { jobs: jobs.map(showJob), has_more: hasMore, pagination: describePage(page) };
  },
});
