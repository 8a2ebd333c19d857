import type { TaskDecision, TaskFacts } from "./decision.ts";
import { taskFailure } from "./failures.ts";
import { type Step, taskLimits } from "./item.ts";
import { ancestorsOf, findStep, type StepRef } from "./steps.ts";

/** A lease lasts as long as fewer events than its ttl have happened since. */
export const isHeld = ({ lease }: Step, event: number): boolean =>
  lease !== undefined && event <= lease.expires_event;

/** Refuses to change what another agent has leased, itself or through a step above it. */
export function requireFree(facts: TaskFacts, step: Step, agent_id: string | undefined): void {
  for (const one of [step, ...ancestorsOf(facts.steps, step.path)]) {
    if (!one.lease || !isHeld(one, facts.event) || one.lease.agent_id === agent_id) continue;
    const { workspace, item, event } = facts;
    const { agent_id: holder, expires_event } = one.lease;
    throw taskFailure("lease_held", {
      workspace,
      task: item.id,
      path: one.path,
      holder,
      expires_event,
      event,
    });
  }
}

export type LeaseClaim = StepRef & {
  agent_id: string;
  ttl_seq?: number | undefined;
  force?: boolean | undefined;
};

export function claimLease(facts: TaskFacts, { agent_id, ttl_seq, force, ...ref }: LeaseClaim): TaskDecision {
  const where = { workspace: facts.workspace, task: facts.item.id };
  const step = findStep(facts.steps, ref, where);
  if (step.completed) throw taskFailure("step_completed", { ...where, path: step.path });
  if (force !== true) requireFree(facts, step, agent_id);
  return withLease(facts, step, agent_id, ttl_seq, force === true ? "lease_forced" : "lease_claimed");
}

export function renewLease(facts: TaskFacts, { agent_id, ttl_seq, ...ref }: LeaseClaim): TaskDecision {
  const step = requireHolder(facts, ref, agent_id);
  return withLease(facts, step, agent_id, ttl_seq, "lease_renewed");
}

export function releaseLease(facts: TaskFacts, { agent_id, ...ref }: LeaseClaim): TaskDecision {
  const { lease: _lease, ...step } = requireHolder(facts, ref, agent_id);
  return decided(facts, step, "lease_released", `${agent_id} released ${step.path}`, { agent_id });
}

function requireHolder(facts: TaskFacts, ref: StepRef, agent_id: string): Step {
  const where = { workspace: facts.workspace, task: facts.item.id };
  const step = findStep(facts.steps, ref, where);
  const held = isHeld(step, facts.event);
  if (held && step.lease?.agent_id === agent_id) return step;
  throw taskFailure("lease_not_held", {
    ...where,
    path: step.path,
    ...(held && { holder: step.lease?.agent_id }),
  });
}

function withLease(facts: TaskFacts, step: Step, agent_id: string, ttl: number | undefined, kind: string) {
  const lasts = Math.min(Math.max(ttl ?? taskLimits.defaultLeaseTtl, 1), taskLimits.leaseTtl);
  const lease = { agent_id, claimed_event: facts.event, expires_event: facts.event + lasts };
  return decided(facts, { ...step, lease }, kind, `${agent_id} holds ${step.path}`, { ...lease });
}

/** Leases say who works on what; the task itself, and so its revision, stays as it is. */
function decided(
  { item }: TaskFacts,
  step: Step,
  kind: string,
  summary: string,
  data: Record<string, unknown>,
): TaskDecision {
  return { item, steps: [step], event: { kind, summary, path: step.path, step_id: step.step_id, data } };
}
