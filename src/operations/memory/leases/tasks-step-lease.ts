import * as z from "zod";
import type { TaskDecision, TaskFacts } from "../../../domain/tasks/decision.ts";
import { type Item, numberOf, type Step } from "../../../domain/tasks/item.ts";
import {
  claimLease,
  endIdleLeases,
  holdersToHear,
  isHeld,
  type LeaseClaim,
  releaseLease,
  renewLease,
} from "../../../domain/tasks/lease.ts";
import { findStep } from "../../../domain/tasks/steps.ts";
import type { ErrorCode } from "../../../kernel/errors.ts";
import type { MemoryStore } from "../../../ports/memory/memory-store.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import type { Example } from "../../pipeline/operation.ts";
import { defineMemory } from "../define-memory.ts";
import { requireTarget, warnIfUnknown } from "../scope.ts";
import {
  changedTask,
  changeTask,
  findOpenDependency,
  refuseTask,
  showChange,
  taskOf,
} from "../tasks/change-task.ts";
import {
  agent,
  path,
  showStep,
  stepIdField,
  stepSchema,
  stubStep,
  target,
  targetAliases,
} from "../tasks/fields.ts";

const place = { path, step_id: stepIdField, target, agent_id: agent };

const own = {
  ttl_seq: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe("Duration of the lease in events of the workspace, 1–10000. Default: 200."),
  force: z.boolean().optional().describe("Take the lease from another holder."),
};

type LeaseTool<Name extends string, Code extends ErrorCode> = {
  name: Name;
  title: string;
  summary: string;
  takes: readonly (keyof typeof own)[];
  errors: readonly Code[];
  examples: readonly Example<z.input<z.ZodObject<typeof own & typeof place>>>[];
  /** If set, the task becomes the caller's own focus, so that notes and cards without a target belong to it. */
  takesFocus?: boolean;
  decide(facts: TaskFacts, claim: LeaseClaim): TaskDecision;
};

export function defineLease<const Name extends string, const Code extends ErrorCode>({
  takes,
  errors,
  takesFocus = false,
  decide,
  ...head
}: LeaseTool<Name, Code>) {
  const fields = Object.fromEntries(takes.map((field) => [field, own[field]])) as Partial<typeof own>;
  return defineMemory({
    ...head,
    effect: "write",
    input: { ...fields, ...place } as typeof own & typeof place,
    aliases: targetAliases,
    output: { ...changedTask, focus: z.string().optional() },
    errors: [...(["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"] as const), ...errors],
    async handle({ target, agent_id, ...claim }, memory) {
      const { focus, foreign } = memory.state ?? {};
      const task = taskOf(memory, target);
      const isThere = focus === task && !foreign?.focus;
      const moves = takesFocus && memory.agent.keys.length > 0 && !isThere;
      const decideFor = (facts: TaskFacts, agent: string | undefined) => {
        if (agent === undefined && memory.agent.keys.length === 0)
          refuseTask(head.name, {
            problem: "A lease needs a holder, but your client sends no conversation ID. Pass agent_id.",
            kind: "missing",
            field: "agent_id",
          });
        return decide(facts, { ...claim, agent_id: agent });
      };
      const outcome = await changeTask(memory, task, agent_id, decideFor, { takesFocus: moves });
      if (takesFocus) await warnClaimant(memory, outcome.item);
      return { ...showChange(outcome), ...(moves && { focus: task }) };
    },
  });
}

async function warnClaimant(memory: MemoryContext, item: Item): Promise<void> {
  warnIfUnknown(memory);
  const waitsFor = await findOpenDependency(memory, item);
  if (waitsFor !== undefined)
    memory.warn({ code: "TASK_WAITS", message: `${item.id} waits for ${waitsFor}, which is not done yet.` });
}

async function readHeldSteps({ memory, workspace, clock }: MemoryContext, task: string): Promise<Step[]> {
  return endLeases(memory, workspace, await memory.readSteps(workspace, task), clock().getTime());
}

/** Returns the steps without the leases of agents that have been inactive for too long. */
export async function endLeases(
  memory: Pick<MemoryStore, "listHeard">,
  workspace: string,
  steps: readonly Step[],
  now_ms: number,
): Promise<Step[]> {
  const holders = holdersToHear(steps, now_ms);
  const heard = holders.length === 0 ? new Map() : await memory.listHeard(workspace, holders);
  return endIdleLeases(steps, now_ms, (key) => heard.get(key));
}

export const tasksStepLeaseGet = defineMemory({
  name: "tasks_step_lease_get",
  title: "See a lease",
  summary: "Shows who holds the lease on a step, and for how many more events.",
  effect: "read",
  input: { path, step_id: stepIdField, target },
  aliases: targetAliases,
  output: {
    task: z.string().optional(),
    held: z.boolean(),
    holder: z.string().nullable(),
    events_left: z.int(),
    step: stepSchema.optional(),
  },
  trim: { item: { key: "step", stub: stubStep } },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "of a step", given: "a leased step", input: { path: "s:0" } }],

  async handle({ path, step_id, target }, memory) {
    const task = taskOf(memory, target);
    await requireTarget(memory, task);
    const steps = await readHeldSteps(memory, task);
    const step = findStep(steps, { path, step_id }, { workspace: memory.workspace, task });
    const { lastTaskEvent } = await memory.memory.readActivity(memory.workspace);
    const event = numberOf(lastTaskEvent?.event_id ?? "0") + 1;
    const held = isHeld(step, event);
    return {
      task,
      held,
      holder: held ? (step.lease?.agent_id ?? null) : null,
      events_left: held ? (step.lease?.expires_event ?? 0) - event + 1 : 0,
      step: showStep(step),
    };
  },
});

export const tasksStepLeaseClaim = defineLease({
  name: "tasks_step_lease_claim",
  title: "Claim a step",
  summary:
    "Claims a step for one agent. Other agents cannot change the step until the lease is released or expires. The task becomes the agent's focus.",
  takes: ["ttl_seq", "force"],
  takesFocus: true,
  errors: ["CONFLICT", "STEP_LEASE_HELD"],
  examples: [{ title: "a step", given: "a task in focus", input: { path: "s:0", agent_id: "ada" } }],
  decide: claimLease,
});

export const tasksStepLeaseRenew = defineLease({
  name: "tasks_step_lease_renew",
  title: "Renew a lease",
  summary: "Renews a lease that you hold. Its duration starts again.",
  takes: ["ttl_seq"],
  errors: ["STEP_LEASE_NOT_HELD"],
  examples: [{ title: "your own", given: "a leased step", input: { path: "s:0", agent_id: "ada" } }],
  decide: renewLease,
});

export const tasksStepLeaseRelease = defineLease({
  name: "tasks_step_lease_release",
  title: "Release a lease",
  summary: "Releases the lease on a step, so that other agents can work on it.",
  takes: [],
  errors: ["STEP_LEASE_NOT_HELD"],
  examples: [{ title: "your own", given: "a leased step", input: { path: "s:0", agent_id: "ada" } }],
  decide: releaseLease,
});
