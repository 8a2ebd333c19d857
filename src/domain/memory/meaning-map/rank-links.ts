import { isPinned } from "../cards/card.ts";

/** What somebody who comes back to an area asks first. */
const order: readonly string[] = [
  "decision",
  "evidence",
  "test",
  "hypothesis",
  "question",
  "update",
  "note",
  "frame",
];

type Ranked = { type: string; tags: readonly string[]; last_ts_ms: number; last_seq: number };

const rank = ({ type, tags }: Ranked): number => {
  if (isPinned({ tags })) return -1;
  const at = order.indexOf(type);
  return at === -1 ? order.length : at;
};

/** Pinned first, then by type, then the newest. */
export const byMeaning = (one: Ranked, other: Ranked): number =>
  rank(one) - rank(other) || other.last_ts_ms - one.last_ts_ms || other.last_seq - one.last_seq;
