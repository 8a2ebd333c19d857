import { createLikeness } from "../../../domain/recall/compose-recall.ts";
import type { Remark } from "../../../domain/recall/remarks.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { type CardMarks, markCards, wordMoved } from "../ground/read-ground.ts";

export type Marks = CardMarks & { instead?: readonly string[] | undefined };
export type MarksOf = (remark: Pick<Remark, "text" | "instead" | "place"> & { id: string }) => Marks;

/** Removes the reasons and the rejected options. */
const claimOf = (text: string): string => text.replace(/\s*(?:Because|Rejected): .*$/su, "");

/** Marks outdated cards, and every text that makes the same statement as an outdated card. */
export async function markRemarks(memory: MemoryContext, remarks: readonly Remark[]): Promise<MarksOf> {
  const cards = remarks.flatMap(({ id, place, text }) =>
    place ? [{ id, ...place, text: claimOf(text) }] : [],
  );
  const marksOf = await markCards(memory, cards);
  const likeOf = createLikeness(
    cards.filter((card) => marksOf(card).ground?.ground === "moved" || marksOf(card).doubts.length > 0),
  );
  const marksLike = (text: string): CardMarks => {
    const like = likeOf(text);
    const marks = like && marksOf(like);
    if (!marks) return { doubts: [] };
    const { ground_moved: paths, ground_now } = marks.ground ?? {};
    const ground_moved = paths?.map((path) => (path.includes(": ") ? path : `${like.id}: ${path}`));
    return {
      doubts: marks.doubts,
      ...(ground_moved && { ground: { ground: "moved", ground_moved, ...(ground_now && { ground_now }) } }),
    };
  };
  return ({ id, place, text, instead }) => {
    const ground = instead === undefined ? undefined : marksLike(instead).ground;
    const own = place ? marksOf({ id, ...place }) : marksLike(text);
    return { ...own, ...(ground && { instead: wordMoved(ground) }) };
  };
}
