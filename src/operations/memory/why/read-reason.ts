import type { Address } from "../../../domain/ledger/address.ts";
import type { KnownEdit } from "../../../domain/why/known-edits.ts";
import { type Made, toPassages } from "../../../domain/why/passages.ts";
import { findReasons, type Passage, type Reasons, type Subject } from "../../../domain/why/reasons.ts";
import type { EditPlace } from "../../../ports/actions.ts";
import type { BaseContext } from "../../pipeline/context.ts";

const reach = { back: 150, on: 12 } as const;

/** Quotes the session. */
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
  // The main chain started the sub-agent and explains its task.
  const main = branchId === undefined ? [] : await read(undefined, window.from, first - 1);
  const sent = main.map(({ data }) => data);
  return [...toPassages(sent, after, made, sessionId), ...toPassages(strand, after, made, sessionId)];
}
