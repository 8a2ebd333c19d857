import * as z from "zod";
import type { TaskDecision, TaskFacts } from "../../../domain/tasks/decision.ts";
import type { LeaseClaim } from "../../../domain/tasks/lease.ts";
import type { ErrorCode } from "../../../kernel/errors.ts";
import type { Example } from "../../pipeline/operation.ts";
import { defineMemory } from "../define-memory.ts";
import { changedTask, changeTask, refuseTask, showChange, taskOf } from "../tasks/change-task.ts";
import { agent, path, stepIdField, target, targetAliases } from "../tasks/fields.ts";

const place = { path, step_id: stepIdField, target, agent_id: agent };

const own = {
  ttl_seq: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe("For how many events of the workspace it lasts, 1–10000; default 200."),
  force: z.boolean().optional().describe("Whether it is taken from another holder."),
};

type LeaseTool<Name extends string, Code extends ErrorCode> = {
  name: Name;
  title: string;
  summary: string;
  takes: readonly (keyof typeof own)[];
  errors: readonly Code[];
  examples: readonly Example<z.input<z.ZodObject<typeof own & typeof place>>>[];
  decide(facts: TaskFacts, claim: LeaseClaim): TaskDecision;
};

/** Claiming, renewing and releasing the lease of a step. */
export function defineLease<const Name extends string, const Code extends ErrorCode>({
  takes,
  errors,
  decide,
  ...head
}: LeaseTool<Name, Code>) {
  const fields = Object.fromEntries(takes.map((field) => [field, own[field]])) as Partial<typeof own>;
  return defineMemory({
    ...head,
    effect: "write",
    input: { ...fields, ...place } as typeof own & typeof place,
    aliases: targetAliases,
    output: changedTask,
    errors: [...(["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"] as const), ...errors],
    async handle({ target, agent_id, ...claim }, memory) {
      const outcome = await changeTask(memory, taskOf(memory, target), agent_id, (facts, agent) => {
        if (agent === undefined)
          refuseTask(head.name, {
            problem: "A lease has a holder: give agent_id.",
            kind: "missing",
            field: "agent_id",
          });
        return decide(facts, { ...claim, agent_id: agent });
      });
      return showChange(outcome);
    },
  });
}
