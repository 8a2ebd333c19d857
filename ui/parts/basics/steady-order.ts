import { useEffect, useRef, useState } from "preact/hooks";

type Row = { id: string };
type Kept = { wish: string; ids: readonly string[]; groups: ReadonlyMap<string, string> };
type Steady<Item> = {
  shown: Item[];
  /** Returns the group in which a row is shown. The row's current group may be a different one. */
  groupOf: (item: Item) => string;
  /** The number of rows that are waiting to be shown or moved. */
  waiting: number;
  update: () => void;
};

/** How many rows are shown before the user scrolls. */
export const PAGE = 60;

/**
 * Keeps the order of rows while the user reads. New and moved rows wait. Visible rows are updated in place. If rows are
 * in groups, a row is moved only if its group changes, because a row that leaves a group shifts all others. Until the
 * list has been read in full, rows are in the order that the user asked for.
 */
export function useSteadyOrder<Item extends Row>(
  items: readonly Item[],
  wish: string,
  { groupNow, isRead = true }: { groupNow?: (item: Item) => string; isRead?: boolean } = {},
): Steady<Item> {
  const [kept, setKept] = useState<Kept>({ wish: "", ids: [], groups: new Map() });
  const wanted = items.map(({ id }) => id);
  const groups = new Map(items.map((item) => [item.id, groupNow?.(item) ?? ""]));
  const places = new Map(kept.ids.map((id, at) => [id, at]));
  const arrived = wanted.filter((id, at) => {
    const place = places.get(id);
    return place === undefined
      ? at < kept.ids.length || kept.ids.length < PAGE
      : place - at >= 1 && at < PAGE;
  });
  // If the list is read again after the connection was lost, it keeps its order.
  const hasBeenRead = useRef(isRead);
  hasBeenRead.current ||= isRead;
  const isFresh = !hasBeenRead.current || kept.wish !== wish || kept.ids.length === 0;
  const byId = new Map(items.map((item) => [item.id, item]));
  // Older rows that are still loading are added at the end, where they move nothing.
  const waits = new Set(arrived);
  const later = isFresh ? [] : wanted.filter((id) => !places.has(id) && !waits.has(id));
  useEffect(() => {
    if (!hasBeenRead.current) return;
    if (isFresh) setKept({ wish, ids: wanted, groups });
    else if (later.length > 0)
      setKept({ wish, ids: [...kept.ids, ...later], groups: new Map([...groups, ...kept.groups]) });
  });
  const ids = isFresh ? wanted : kept.ids;
  const added = new Set(arrived.filter((id) => !places.has(id)));
  // Count only rows that move up to a place on the first page.
  const moved = groupNow
    ? kept.ids.filter((id) => groups.has(id) && groups.get(id) !== kept.groups.get(id))
    : wanted
        .slice(0, PAGE)
        .filter((id, at) => waits.has(id) && (places.get(id) ?? Number.NEGATIVE_INFINITY) - at > added.size);
  return {
    shown: ids.flatMap((id) => byId.get(id) ?? []),
    groupOf: ({ id }) => (isFresh ? groups : kept.groups).get(id) ?? "",
    waiting: isFresh ? 0 : added.size + moved.length,
    update: () => setKept({ wish, ids: wanted, groups }),
  };
}
