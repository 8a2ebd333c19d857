import { type Address, nodeId } from "../ledger/address.ts";
import type { Thought } from "../ledger/thought.ts";
import type { Passage } from "./reasons.ts";

/** The thoughts that other edits on the strand follow. The edit itself is between the earlier and the later ones. */
export type Made = { earlier: readonly number[]; later: readonly number[] };

type Told = Pick<Thought, "thought" | "thoughtNumber" | "agentId" | "branchId">;

/** How far from its edit a reason may be. */
const reach = { edits: 4, agentTurns: 1 } as const;

const isRequest = ({ agentId }: Told): boolean => agentId === "user";

/** The texts around an edit that may give its reason. */
export function toPassages(
  thoughts: readonly Told[],
  after: Address,
  { earlier, later }: Made,
  sessionId: string,
): Passage[] {
  const last = after.thoughtNumber;
  const requests = thoughts.filter(isRequest).map(({ thoughtNumber }) => thoughtNumber);
  return thoughts.flatMap((thought): Passage[] => {
    const { thoughtNumber: number, agentId, branchId } = thought;
    if (agentId === "tool") return [];
    const isAfter = number > last;
    const edits = isAfter
      ? later.filter((one) => one < number).length
      : earlier.filter((one) => one >= number).length;
    const between = requests.filter((one) =>
      isAfter ? one > last && one <= number : one > number && one <= last,
    ).length;
    const isFar = isAfter
      ? edits > reach.edits || between > 0
      : between > reach.agentTurns && !isRequest(thought);
    if (isFar) return [];
    return [
      {
        text: thought.thought.replace(/^S\d+\|R\|\^S\d+\|/, ""),
        by: isRequest(thought) ? "user" : "agent",
        after: isAfter,
        edits,
        turns: isAfter ? 0 : between,
        place: nodeId(sessionId, { branchId, thoughtNumber: number }),
      },
    ];
  });
}
