import type { KnownEdit } from "../../../domain/why/known-edits.ts";
import type { BaseContext } from "../../pipeline/context.ts";

export type Place = KnownEdit["places"][number];

const mostCopies = 10;

/**
 * Finds the session to quote for an edit. If several sessions contain the edit, this is the original. Not
 * every client records which session is the original, but a copy ends later.
 */
export async function findOrigin(
  { actions, ledger }: BaseContext,
  { places }: Pick<KnownEdit, "places">,
): Promise<Place | undefined> {
  if (places.length < 2) return places[0];
  const ids = new Set(places.map(({ sessionId }) => sessionId));
  const ends: { place: Place; end: string }[] = [];
  for (const place of places.slice(0, mostCopies)) {
    const forks = await actions.readOfSession(place.sessionId, { after: 0, limit: 1, type: "fork" });
    const origin = forks[0]?.action.type === "fork" ? forks[0].action.origin : undefined;
    const end = (await ledger.readSession(place.sessionId))?.session.updatedAt;
    if (end !== undefined && (origin === undefined || !ids.has(origin))) ends.push({ place, end });
  }
  ends.sort((a, b) => (a.end < b.end ? -1 : a.end > b.end ? 1 : 0));
  return ends[0]?.place ?? places[0];
}
