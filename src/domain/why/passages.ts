import type { Thought } from "../ledger/thought.ts";
import { nodeId } from "../ledger/thought.ts";
import type { Passage } from "./reasons.ts";

/**
 * The other edits in the same branch or main chain. Each edit is represented by the number of the last
 * thought before it. `earlier` lists the edits before this one, `later` those after it.
 */
export type Made = { earlier: readonly number[]; later: readonly number[] };

type Told = Pick<Thought, "thought" | "thoughtNumber" | "agentId" | "branchId">;

/** How far a reason may be from its edit. */
const reach = { edits: 4, agentTurns: 1 } as const;

const isRequest = ({ agentId }: Told): boolean => agentId === "user";

type Strand = {
  sessionId: string;
  /** The last thought before the edit. */
  last: number;
  made: Made;
  /**
   * True if this strand started the sub-agent that made the edit. Only the strand's texts after its previous
   * edit are used.
   */
  isParent?: boolean;
};

/** Returns the texts around an edit that may give its reason. */
export function toPassages(
  thoughts: readonly Told[],
  { sessionId, last, made: { earlier, later }, isParent = false }: Strand,
): Passage[] {
  const requests = thoughts.filter(isRequest).map(({ thoughtNumber }) => thoughtNumber);
  const failures = thoughts.filter(({ agentId }) => agentId === "tool").map((one) => one.thoughtNumber);
  return thoughts.flatMap((thought): Passage[] => {
    const { thoughtNumber: number, agentId, branchId } = thought;
    if (agentId === "tool") return [];
    const isAfter = number > last;
    const between = requests.filter((one) =>
      isAfter ? one > last && one <= number : one > number && one <= last,
    ).length;
    const edits = isAfter ? later.filter((one) => one < number) : earlier.filter((one) => one >= number);
    const isFar = isAfter
      ? edits.length > reach.edits || between > 0
      : !isRequest(thought) && (isParent ? between + edits.length > 0 : between > reach.agentTurns);
    if (isFar) return [];
    const first = Math.min(...edits);
    return [
      {
        text: thought.thought.replace(/^S\d+\|R\|\^S\d+\|/, ""),
        by: isRequest(thought) ? "user" : "agent",
        after: isAfter,
        edits: edits.length,
        turns: isAfter ? 0 : between,
        overtaken: !isAfter && failures.some((one) => one > first && one <= last),
        place: nodeId(sessionId, { branchId, thoughtNumber: number }),
      },
    ];
  });
}
