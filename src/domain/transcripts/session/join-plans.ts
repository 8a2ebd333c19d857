import type { Address } from "../../ledger/address.ts";
import { keyOf } from "../../ledger/tree/arrivals.ts";
import { createTally } from "../tally.ts";
import type { PlannedThought, ThoughtPlan } from "./plan-thoughts.ts";

/** The last thought of the main chain that was there when something began; the first where none was. */
export function forkAt(thoughts: readonly PlannedThought[], at: string | undefined): Address | undefined {
  const main = thoughts.filter(({ address }) => address.branchId === undefined);
  const before = main.findLast((thought) => at === undefined || (thought.at ?? "") <= at);
  return (before ?? main[0])?.address;
}

/** The thoughts of a session and of its sub-agents in the order of their times; what forks comes after where it forks. */
export function joinPlans(main: ThoughtPlan, agents: readonly ThoughtPlan[]): ThoughtPlan {
  const plans = [main, ...agents];
  const timed = inOrder(main.thoughts, "");
  const timeOf = new Map(timed.map(({ thought, time }) => [keyOf(thought.address), time]));
  // The main file comes first among equals, so nothing of an agent stands before the thought it forks from.
  const thoughts = plans.flatMap((plan, which) => {
    const fork = plan.thoughts[0]?.fork;
    const earliest = (which > 0 && fork && timeOf.get(keyOf(fork))) || "";
    return inOrder(plan.thoughts, earliest).map(({ thought, time }, index) => ({
      thought,
      time,
      which,
      index,
    }));
  });
  thoughts.sort((a, b) => compare(a.time, b.time) || a.which - b.which || a.index - b.index);
  const sum = (count: (plan: ThoughtPlan) => number) => plans.reduce((total, plan) => total + count(plan), 0);
  const skipped = createTally();
  for (const plan of plans) skipped.addAll(plan.skipped);
  return {
    opening: main.opening,
    thoughts: thoughts.map(({ thought }) => thought),
    branches: sum(({ branches }) => branches),
    agents: sum(({ agents }) => agents),
    observations: sum(({ observations }) => observations),
    corrections: sum(({ corrections }) => corrections),
    skipped: skipped.counts(),
    full: plans.some(({ full }) => full),
  };
}

/** A clock that goes backwards does not reorder a file. */
function inOrder(
  thoughts: readonly PlannedThought[],
  earliest: string,
): { thought: PlannedThought; time: string }[] {
  let time = earliest;
  return thoughts.map((thought) => {
    if (thought.at !== undefined && thought.at > time) time = thought.at;
    return { thought, time };
  });
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
