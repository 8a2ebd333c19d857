import { sessionIdPattern } from "../../../domain/ledger/limits.ts";
import { parseRef } from "../../../domain/memory/entry.ts";
import { isAnchorId } from "../../../domain/memory/meaning-map/meaning-anchor.ts";
import { eventIdPattern, jobPattern, stepIdPattern, targetPattern } from "../../../domain/tasks/item.ts";

/** What an ID names, judged by its form. */
export type OpenId =
  | { kind: "entry"; doc: string | undefined; seq: number }
  | { kind: "thought"; sessionId: string; branchId?: string | undefined; thoughtNumber: number }
  | { kind: "session"; sessionId: string }
  | Whole<"anchor">
  | Whole<"item">
  | Whole<"step">
  | Whole<"task_event">
  | Whole<"job">
  | Whole<"conflict">
  | { kind: "job_event"; job: string; seq: number }
  | { kind: "runner"; runnerId: string }
  /** A node, a branch, a tag, or the bare seq of an entry. */
  | Whole<"name">;

type Whole<Kind extends string> = { kind: Kind; id: string };

/** One example of each form that `open` reads. Any other text is looked up as the ID of a node, a branch or a tag. */
export const idForms: readonly string[] = [
  ...[
    "CARD-1",
    "PLAN-001",
    "TASK-001",
    "STEP-0000000A",
    "JOB-001",
    "JOB-001@12",
    "runner:r1",
    "evt_0000000000000012",
  ],
  ...["notes@12", "12", "a:storage", `CONFLICT-${"0".repeat(32)}`],
  ...["<sessionId>", "<sessionId>:3", "<sessionId>:<branchId>:3", "latest"],
];

const conflictPattern = /^CONFLICT-[0-9a-f]{32}$/;
const jobEventForm = /^(?<job>JOB-\d{3,9})@(?<seq>\d{1,15})$/;
const runnerForm = /^runner:(?<runner>[A-Za-z0-9][A-Za-z0-9._-]{0,63})$/;
const thoughtForm = /^(?<session>[^:]+):(?:(?<branch>[a-z0-9-]{1,64}):)?(?<number>\d{1,9})$/;

export function readOpenId(id: string): OpenId {
  if (isAnchorId(id)) return { kind: "anchor", id };
  if (targetPattern.test(id)) return { kind: "item", id };
  if (stepIdPattern.test(id)) return { kind: "step", id };
  if (eventIdPattern.test(id)) return { kind: "task_event", id };
  if (jobPattern.test(id)) return { kind: "job", id };
  if (conflictPattern.test(id)) return { kind: "conflict", id };
  const { job, seq } = jobEventForm.exec(id)?.groups ?? {};
  if (job !== undefined) return { kind: "job_event", job, seq: Number(seq) };
  const { runner } = runnerForm.exec(id)?.groups ?? {};
  if (runner !== undefined) return { kind: "runner", runnerId: runner };
  const entry = parseRef(id);
  if (entry) return { kind: "entry", ...entry };
  return readLedgerId(id.replace(/^session\//, "")) ?? { kind: "name", id };
}

function readLedgerId(bare: string): OpenId | undefined {
  if (sessionIdPattern.test(bare)) return { kind: "session", sessionId: bare };
  const { session = "", branch, number } = thoughtForm.exec(bare)?.groups ?? {};
  if (!sessionIdPattern.test(session)) return undefined;
  return { kind: "thought", sessionId: session, branchId: branch, thoughtNumber: Number(number) };
}
