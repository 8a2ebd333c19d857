import type { Address } from "../../../domain/ledger/address.ts";
import { nodeId } from "../../../domain/ledger/address.ts";
import type { Thought } from "../../../domain/ledger/thought.ts";
import type { KnownEdit } from "../../../domain/why/known-edits.ts";
import { findReasons, type Passage, type Reasons, type Subject } from "../../../domain/why/reasons.ts";
import type { BaseContext } from "../../pipeline/context.ts";

const reach = { back: 150, on: 12, edits: 4, turns: 3 } as const;

/** Why an edit was made, in words of the session that made it. */
export async function readReasons(
  context: BaseContext,
  known: KnownEdit,
  others: readonly KnownEdit[],
  subject: Subject,
  chars: number,
): Promise<Reasons> {
  const [place] = known.places;
  const { sessionId, after } = place ?? {};
  if (sessionId === undefined || after === undefined) return {};
  const passages = await readPassages(context, sessionId, after, editsOf(sessionId, known, others));
  return findReasons(subject, passages, chars);
}

/** Numbers of the thoughts that other edits of the same strand follow, with their times. */
function editsOf(sessionId: string, known: KnownEdit, others: readonly KnownEdit[]) {
  return others.flatMap(({ places, time, id }) => {
    const place = places.find((one) => one.sessionId === sessionId);
    if (!place?.after || id === known.id) return [];
    return [
      { number: place.after.thoughtNumber, branchId: place.after.branchId, isLater: time > known.time },
    ];
  });
}

type Made = ReturnType<typeof editsOf>;

async function readPassages(
  { ledger }: BaseContext,
  sessionId: string,
  after: Address,
  made: Made,
): Promise<Passage[]> {
  const { branchId, thoughtNumber } = after;
  const window = { from: Math.max(1, thoughtNumber - reach.back), to: thoughtNumber + reach.on };
  const count = reach.back + reach.on + 1;
  const read = (branch: string | undefined, from: number, to: number) =>
    ledger.readThoughts(sessionId, { branchId: branch, select: "range", from, to, count });
  const own = await read(branchId, window.from, window.to);
  const main = branchId === undefined ? [] : await read(undefined, window.from, thoughtNumber);
  const strand = own.map(({ data }) => data);
  // A sub-agent was sent by the main strand, whose requests come before its own.
  const requests = main.map(({ data }) => data).filter(isRequest);
  return [...toPassages(strand, after, made, sessionId), ...toPassages(requests, after, made, sessionId)];
}

const isRequest = ({ agentId }: Thought): boolean => agentId === "user";

function toPassages(thoughts: readonly Thought[], after: Address, made: Made, sessionId: string): Passage[] {
  const here = made.filter(({ branchId }) => branchId === after.branchId);
  return thoughts.flatMap((thought) => {
    const { thoughtNumber: number, agentId } = thought;
    if (agentId === "tool") return [];
    const isAfter = number > after.thoughtNumber;
    const edits = here.filter((edit) =>
      isAfter ? edit.isLater && edit.number < number : !edit.isLater && edit.number >= number,
    ).length;
    const turns = isAfter
      ? 0
      : thoughts.filter(
          (one) => isRequest(one) && one.thoughtNumber > number && one.thoughtNumber <= after.thoughtNumber,
        ).length;
    const isFar = isAfter
      ? edits > reach.edits ||
        thoughts.some(
          (one) => isRequest(one) && one.thoughtNumber > after.thoughtNumber && one.thoughtNumber <= number,
        )
      : turns > (isRequest(thought) ? reach.turns : 1);
    if (isFar) return [];
    const text = thought.thought.replace(/^S\d+\|R\|\^S\d+\|/, "");
    const place = nodeId(sessionId, { branchId: thought.branchId, thoughtNumber: number });
    return [
      { text, by: isRequest(thought) ? "user" : "agent", after: isAfter, edits, turns, place } as const,
    ];
  });
}
