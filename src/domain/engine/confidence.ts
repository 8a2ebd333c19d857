import type { CardNode } from "../memory/cards/card.ts";
import type { Linked } from "./slice.ts";

/** A template's placeholder. A command or link that is still a placeholder is not evidence. */
const placeholder =
  /^(?:<.*>|\[.*\]|\{.*\}|\.{2,}|…|-+|\?+|todo\b.*|tbd\b.*|n\/?a|none|null|undefined|placeholder)$/is;

/** Finds the command that repeats an observation, in `meta.run.cmd`, `meta.cmd` or a `CMD: …` line. */
export function commandOf({ meta, text }: Pick<CardNode, "meta" | "text">): string | undefined {
  const run = runOf(meta);
  return firstReal([run["cmd"], meta?.["cmd"], ...linesAfter(text, "CMD:")]);
}

/** Finds a link to the evidence, in `meta.run.link|url`, `meta.link|url|artifact` or a `LINK: …` line. */
function linkOf({ meta, text }: Pick<CardNode, "meta" | "text">): string | undefined {
  const run = runOf(meta);
  return firstReal([
    run["link"],
    run["url"],
    meta?.["link"],
    meta?.["url"],
    meta?.["artifact"],
    ...linesAfter(text, "LINK:"),
  ]);
}

function sourceOf({ meta }: Pick<CardNode, "meta">): "ci" | "local" | undefined {
  const said = [runOf(meta)["source"], meta?.["source"]].find((value) => typeof value === "string");
  const source = typeof said === "string" ? said.trim().toLowerCase() : undefined;
  return source === "ci" || source === "local" ? source : undefined;
}

function runOf(meta: CardNode["meta"]): Record<string, unknown> {
  const run = meta?.["run"];
  return typeof run === "object" && run !== null ? (run as Record<string, unknown>) : {};
}

function firstReal(values: readonly unknown[]): string | undefined {
  for (const value of values) {
    const text = typeof value === "string" ? value.trim() : "";
    if (text !== "" && text.length <= 4_096 && !placeholder.test(text)) return text;
  }
  return undefined;
}

function linesAfter(text: string | undefined, mark: string): string[] {
  return (text ?? "")
    .split("\n")
    .map((line) => line.trimStart())
    .filter((line) => line.slice(0, mark.length).toUpperCase() === mark)
    .map((line) => line.slice(mark.length));
}

/** Rates how easily others can check the evidence, from 0 to 100. */
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
 * Rates a card from 0 to 1, based only on the slice. Uses 0.5 if cards support each other in a cycle, or
 * after following `deepest` links.
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
 * Returns the cards that support a card. For a decision, includes linked evidence and tests, because
 * think_pipeline links each stage to the previous stage.
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
