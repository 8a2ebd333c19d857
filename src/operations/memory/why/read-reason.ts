import type { Address } from "../../../domain/ledger/thought.ts";
import type { KnownEdit } from "../../../domain/why/known-edits.ts";
import { type Made, toPassages } from "../../../domain/why/passages.ts";
import { findReasons, type Passage, type Reasons, type Subject } from "../../../domain/why/reasons.ts";
import type { EditPlace } from "../../../ports/actions.ts";
import type { BaseContext } from "../../pipeline/context.ts";
import type { Place } from "./find-origin.ts";

const reach = { back: 150, on: 12 } as const;

/** Quotes the session that the answer shows as the writer. `place` is one of the edit's places. */
export async function readReasons(
  context: BaseContext,
  { edit }: KnownEdit,
  place: Place | undefined,
  subject: Subject,
  chars: number,
): Promise<Reasons> {
  if (place?.after === undefined) return {};
  return findReasons(subject, await readPassages(context, place.sessionId, place.after, edit), chars);
}

function splitEdits(places: readonly EditPlace[], { call, part }: KnownEdit["edit"]): Made {
  const at = places.findIndex((one) => one.call === call && one.part === part);
  const numbers = places.map(({ thoughtNumber }) => thoughtNumber);
  return at === -1
    ? { earlier: numbers, later: [] }
    : { earlier: numbers.slice(0, at), later: numbers.slice(at + 1) };
}

/** True for a branch with an undone turn of the conversation. Other branches belong to sub-agents. */
const isUndoneTurn = (branchId: string): boolean => /(?:^|-)fork-\d+$/.test(branchId);

async function readPassages(
  { ledger, actions }: BaseContext,
  sessionId: string,
  after: Address,
  edit: KnownEdit["edit"],
): Promise<Passage[]> {
  const { branchId, thoughtNumber: last } = after;
  const window = { from: Math.max(1, last - reach.back), to: last + reach.on };
  const count = reach.back + reach.on + 1;
  const read = async (branch: string | undefined, from: number, to: number) =>
    (await ledger.readThoughts(sessionId, { branchId: branch, select: "range", from, to, count }))
      .map(({ data }) => data)
      .filter((thought) => thought.branchId === branch);
  const strand = await read(branchId, window.from, window.to);
  const made = splitEdits(await actions.findEditPlaces(sessionId, { branchId, ...window }), edit);
  if (branchId === undefined) return toPassages(strand, { sessionId, last, made });
  const fork = (strand[0]?.thoughtNumber ?? last) - 1;
  const main = await read(undefined, window.from, fork);
  const before = await actions.findEditPlaces(sessionId, {
    branchId: undefined,
    from: window.from,
    to: fork,
  });
  const earlier = before.map(({ thoughtNumber }) => thoughtNumber);
  if (isUndoneTurn(branchId))
    return toPassages([...main, ...strand], {
      sessionId,
      last,
      made: { ...made, earlier: [...earlier, ...made.earlier] },
    });
  return [
    ...toPassages(main, { sessionId, last: fork, made: { earlier, later: [] }, isParent: true }),
    ...toPassages(strand, { sessionId, last, made }),
  ];
}
