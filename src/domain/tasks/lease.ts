import type { TaskDecision, TaskFacts } from "./decision.ts";
import { taskFailure } from "./failures.ts";
import { type Lease, type Step, taskLimits } from "./item.ts";
import { ancestorsOf, findStep, type StepRef } from "./steps.ts";

/** True if the step has a lease that has not expired at this event. */
export const isHeld = ({ lease }: Step, event: number): boolean =>
  lease !== undefined && event <= lease.expires_event;

/** How long an agent's leases last after its last write, in milliseconds. */
const idleMs = 30 * 60_000;

export const keysOf = ({ agent_id, by }: Lease): string[] => [
  `@${agent_id}`,
  ...(by === undefined ? [] : [by]),
];

const isOld = ({ lease }: Step, now_ms: number): boolean => (lease?.claimed_ms ?? now_ms) + idleMs < now_ms;

/** Returns when the agent last wrote and when its lease ends unless the agent writes again. */
export function endOf(
  lease: Lease,
  heard: (key: string) => number | undefined,
): { heardAt: number; at: number } | undefined {
  if (lease.claimed_ms === undefined) return undefined;
  const heardAt = Math.max(lease.claimed_ms, ...keysOf(lease).map((key) => heard(key) ?? 0));
  return { heardAt, at: heardAt + idleMs };
}

/** Returns the holders whose last write must be looked up to find out which leases have ended. */
export const holdersToHear = (steps: readonly Step[], now_ms: number): string[] =>
  steps.flatMap((step) => (step.lease && isOld(step, now_ms) ? keysOf(step.lease) : []));

/** Drops the leases of idle agents. */
export const endIdleLeases = (
  steps: readonly Step[],
  now_ms: number,
  heard: (key: string) => number | undefined,
): Step[] =>
  steps.map((step) => {
    if (!step.lease || !isOld(step, now_ms)) return step;
    if ((endOf(step.lease, heard)?.at ?? now_ms) >= now_ms) return step;
    const { lease: _lease, ...free } = step;
    return free;
  });

/**
 * True if the lease belongs to this agent. An agent is identified by its name, or by its conversation or
 * connection if it gave none.
 */
function isHolder(lease: Lease, agent_id: string | undefined, { agent }: Pick<TaskFacts, "agent">): boolean {
  if (lease.agent_id === agent_id) return true;
  const isSame = lease.by !== undefined && (agent?.keys.includes(lease.by) ?? false);
  return isSame && (agent_id === undefined || lease.unnamed === true);
}

/** Refuses to change a step if another agent has leased the step or one of its parents. */
export function requireFree(facts: TaskFacts, step: Step, agent_id: string | undefined): void {
  for (const one of [step, ...ancestorsOf(facts.steps, step.path)]) {
    if (!one.lease || !isHeld(one, facts.event) || isHolder(one.lease, agent_id, facts)) continue;
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

/** Asks for a lease. Without `agent_id`, the lease belongs to the caller's conversation or connection. */
export type LeaseClaim = StepRef & {
  agent_id?: string | undefined;
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
  return withLease(facts, step, agent_id ?? step.lease?.agent_id, ttl_seq, "lease_renewed");
}

export function releaseLease(facts: TaskFacts, { agent_id, ...ref }: LeaseClaim): TaskDecision {
  const { lease, ...step } = requireHolder(facts, ref, agent_id);
  const holder = lease?.agent_id;
  return decided(facts, step, "lease_released", `${holder} released the lease on ${step.path}`, {
    agent_id: holder,
  });
}

function requireHolder(facts: TaskFacts, ref: StepRef, agent_id: string | undefined): Step {
  const where = { workspace: facts.workspace, task: facts.item.id };
  const step = findStep(facts.steps, ref, where);
  const held = isHeld(step, facts.event);
  if (held && step.lease && isHolder(step.lease, agent_id, facts)) return step;
  throw taskFailure("lease_not_held", {
    ...where,
    path: step.path,
    ...(held && { holder: step.lease?.agent_id }),
  });
}

/** Returns the name under which other agents see an agent that gave no name. */
const nameFor = (key: string): string => `agent-${key.slice(0, 8)}`;

function withLease(
  facts: TaskFacts,
  step: Step,
  agent_id: string | undefined,
  ttl: number | undefined,
  kind: string,
): TaskDecision {
  const by = facts.agent?.keys.find((key) => !key.startsWith("@"));
  const holder = agent_id ?? (by === undefined ? undefined : nameFor(by));
  if (holder === undefined) throw new Error("A lease needs a holder.");
  const lasts = Math.min(Math.max(ttl ?? taskLimits.defaultLeaseTtl, 1), taskLimits.leaseTtl);
  const { event, now_ms } = facts;
  const shown = { agent_id: holder, claimed_event: event, expires_event: event + lasts };
  const isUnnamed = by !== undefined && holder === nameFor(by);
  const lease = {
    ...shown,
    claimed_ms: now_ms,
    ...(by !== undefined && { by }),
    ...(isUnnamed && { unnamed: true as const }),
  };
  return decided(facts, { ...step, lease }, kind, `${holder} holds the lease on ${step.path}`, shown);
}

/** Returns a decision that changes only the step's lease, not the task or its revision. */
function decided(
  { item }: TaskFacts,
  step: Step,
  kind: string,
  summary: string,
  data: Record<string, unknown>,
): TaskDecision {
  return { item, steps: [step], event: { kind, summary, path: step.path, step_id: step.step_id, data } };
}
