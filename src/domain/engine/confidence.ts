import type { CardNode } from "../memory/cards/card.ts";
import { commandOf, linkOf, sourceOf } from "./receipts.ts";
import type { Linked } from "./slice.ts";

/** 0–100: how well a piece of evidence can be checked by somebody else. */
export function evidenceScore(card: CardNode, linked: Linked): number {
  const source = sourceOf(card);
  const targets = [...linked.outOf(card, "supports"), ...linked.outOf(card, "blocks")].map(
    ({ type }) => type,
  );
  const aim = targets.includes("test")
    ? 20
    : targets.includes("hypothesis") || targets.includes("decision")
      ? 10
      : 0;
  return (
    (commandOf(card) ? 25 : 0) +
    (linkOf(card) ? 25 : 0) +
    (source === "ci" ? 20 : source === "local" ? 10 : 0) +
    aim
  );
}

const weights: Readonly<Record<string, number>> = {
  evidence: 4,
  test: 1.5,
  decision: 0.75,
  hypothesis: 0.75,
};
const otherWeight = 0.25;
const deepest = 3;
const undecided = 0.5;

/**
 * 0–1, as far as the slice tells. A card on a circle of supports lends no more weight than one of which nothing is
 * known.
 */
export function confidence(card: CardNode, linked: Linked): number {
  return confidenceAt(card, linked, deepest, []);
}

function confidenceAt(card: CardNode, linked: Linked, depth: number, above: readonly string[]): number {
  if (card.type === "evidence") return evidenceScore(card, linked) / 100;
  if (depth === 0 || above.includes(card.id)) return undecided;
  const path = [...above, card.id];
  const weigh = (others: readonly CardNode[]): number =>
    others.reduce(
      (sum, other) =>
        sum + (weights[other.type] ?? otherWeight) * confidenceAt(other, linked, depth - 1, path),
      1,
    );
  const positive = weigh(supportersOf(card, linked));
  const negative = weigh(linked.into(card, "blocks"));
  return positive / (positive + negative);
}

/**
 * What speaks for a card. A decision also rests on the evidence and tests that it names itself: think_pipeline links
 * each stage to the one before.
 */
export function supportersOf(card: CardNode, linked: Linked): readonly CardNode[] {
  const supporters = linked.into(card, "supports");
  if (card.type !== "decision") return supporters;
  const basis = linked
    .outOf(card, "supports")
    .filter(
      ({ type, id }) => (type === "evidence" || type === "test") && !supporters.some((s) => s.id === id),
    );
  return basis.length === 0 ? supporters : [...supporters, ...basis];
}
