import type { Address } from "../../../domain/ledger/address.ts";
import { nodeId } from "../../../domain/ledger/address.ts";
import type { Thought } from "../../../domain/ledger/thought.ts";
import type { KnownEdit } from "../../../domain/why/known-edits.ts";
import { findReasons, type Passage, type Reasons, type Subject } from "../../../domain/why/reasons.ts";
import type { EditPlace } from "../../../ports/actions.ts";
import type { BaseContext } from "../../pipeline/context.ts";

const reach = { back: 150, on: 12, edits: 4, turns: 3 } as const;

/** Why an edit was made, in the words of its session. */
export async function readReasons(
  context: BaseContext,
  known: KnownEdit,
  subject: Subject,
  chars: number,
): Promise<Reasons> {
  const [place] = known.places;
  const { sessionId, after } = place ?? {};
  if (sessionId === undefined || after === undefined) return {};
  return findReasons(subject, await readPassages(context, sessionId, after, known.edit), chars);
}

/** The thoughts that other edits on the strand follow. The edit itself is between the earlier and the later ones. */
type Made = { earlier: readonly number[]; later: readonly number[] };

function splitEdits(places: readonly EditPlace[], { call, part }: KnownEdit["edit"]): Made {
  const at = places.findIndex((one) => one.call === call && one.part === part);
  const numbers = places.map(({ thoughtNumber }) => thoughtNumber);
  return at === -1
    ? { earlier: numbers, later: [] }
    : { earlier: numbers.slice(0, at), later: numbers.slice(at + 1) };
}

async function readPassages(
  { ledger, actions }: BaseContext,
  sessionId: string,
  after: Address,
  edit: KnownEdit["edit"],
): Promise<Passage[]> {
  const { branchId, thoughtNumber } = after;
  const window = { from: Math.max(1, thoughtNumber - reach.back), to: thoughtNumber + reach.on };
  const count = reach.back + reach.on + 1;
  const read = (branch: string | undefined, from: number, to: number) =>
    ledger.readThoughts(sessionId, { branchId: branch, select: "range", from, to, count });
  const own = await read(branchId, window.from, window.to);
  const made = splitEdits(await actions.findEditPlaces(sessionId, { branchId, ...window }), edit);
  const strand = own.map(({ data }) => data);
  const [first = thoughtNumber] = strand
    .filter((thought) => thought.branchId === branchId)
    .map((thought) => thought.thoughtNumber);
  // The main strand started the sub-agent and explains its task.
  const main = branchId === undefined ? [] : await read(undefined, window.from, first - 1);
  const sent = main.map(({ data }) => data);
  return [...toPassages(sent, after, made, sessionId), ...toPassages(strand, after, made, sessionId)];
}

const isRequest = ({ agentId }: Thought): boolean => agentId === "user";

function toPassages(
  thoughts: readonly Thought[],
  after: Address,
  { earlier, later }: Made,
  sessionId: string,
): Passage[] {
  return thoughts.flatMap((thought) => {
    const { thoughtNumber: number, agentId } = thought;
    if (agentId === "tool") return [];
    const isAfter = number > after.thoughtNumber;
    const edits = isAfter
      ? later.filter((one) => one < number).length
      : earlier.filter((one) => one >= number).length;
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
