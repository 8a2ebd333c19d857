import { clipWhole } from "../../kernel/secrets/secrets-policy.ts";
import { type CardNode, isOpen, isPinned, nameOf } from "../memory/cards/card.ts";
import { publishedId } from "../memory/cards/change-cards.ts";
import { isDraft } from "../memory/cards/visibility.ts";
import { confidence, evidenceScore, supportersOf } from "./confidence.ts";
import type { Calls, Finding } from "./findings.ts";
import type { Linked } from "./slice.ts";

export type Rule = (linked: Linked, calls: Calls) => Finding[];

const day = 86_400_000;
const publishWithinDays = 14;
const weakBelow = 60;
const decisionLow = 0.55;
const hypothesisLow = 0.45;

/** Returns how a message refers to a card: its ID and a short title. */
export const cite = (card: CardNode): string => `${card.id} (${clipWhole(nameOf(card), 60)})`;

const ofType = ({ cards }: Linked, ...types: string[]): CardNode[] =>
  cards.filter(({ type }) => types.includes(type));

export const unpublishedDecision: Rule = (linked, calls) =>
  [...ofType(linked, "decision"), ...linked.drafts]
    .filter((card) => isDraft(card) && !linked.byId.has(publishedId(card.id)))
    .filter((card) => isPinned(card) || linked.now - card.last_ts_ms <= publishWithinDays * day)
    .map((card) => ({
      about: card,
      signal: {
        code: "BM_LANE_DECISION_NOT_PUBLISHED",
        severity: "warning",
        message: `The decision ${cite(card)} is a draft, so other agents do not see it.`,
        refs: [card.id],
      },
      action: {
        kind: "publish_decision",
        priority: "medium",
        title: `Publish ${cite(card)}`,
        why: "The next agent does not see a draft.",
        calls: [calls.publish(card.id)],
      },
    }));

export const untestedHypothesis: Rule = (linked, calls) =>
  ofType(linked, "hypothesis")
    .filter((card) => isOpen(card) && !linked.into(card, "supports").some(({ type }) => type === "test"))
    .map((card) => ({
      about: card,
      signal: {
        code: "BM4_HYPOTHESIS_NO_TEST",
        severity: "high",
        message: `No test supports the open hypothesis ${cite(card)}.`,
        refs: [card.id],
      },
      action: {
        kind: "add_test_stub",
        priority: "high",
        title: `Add the smallest test of ${cite(card)}`,
        why: "A claim that no test can refute proves nothing.",
        calls: [
          calls.addCard(
            {
              type: "test",
              title: `Test: ${clipWhole(nameOf(card), 200)}`,
              text: "CMD: <command>\nExpected if it is true:\nExpected if it is not:",
            },
            { supports: [card.id] },
          ),
        ],
      },
    }));

export const unprovenHypothesis: Rule = (linked) =>
  ofType(linked, "hypothesis").flatMap((card) => {
    const supporters = linked.into(card, "supports");
    const tests = supporters.filter(({ type }) => type === "test");
    const bearers = [card, ...tests];
    const proven = bearers.some((bearer) =>
      [...linked.into(bearer, "supports"), ...linked.into(bearer, "blocks")].some(
        ({ type }) => type === "evidence",
      ),
    );
    if (!isOpen(card) || tests.length === 0 || proven) return [];
    return [
      {
        about: card,
        signal: {
          code: "BM4_HYPOTHESIS_NO_EVIDENCE",
          severity: "warning",
          message: `The hypothesis ${cite(card)} has tests but no evidence.`,
          refs: [card.id, ...tests.map(({ id }) => id)],
        },
      },
    ];
  });

export const contradiction: Rule = (linked, calls) =>
  ofType(linked, "hypothesis", "test", "decision").flatMap((card) => {
    const [supports, blocks] = [linked.into(card, "supports"), linked.into(card, "blocks")];
    if (!isOpen(card) || supports.length === 0 || blocks.length === 0) return [];
    return [
      {
        about: card,
        signal: {
          code: "BM1_CONTRADICTION_SUPPORTS_BLOCKS",
          severity: "high",
          message: `${cite(card)} has both supporting cards (${supports.length}) and blocking cards (${blocks.length}).`,
          refs: [
            card.id,
            ...supports.slice(0, 3).map(({ id }) => id),
            ...blocks.slice(0, 3).map(({ id }) => id),
          ],
        },
        action: {
          kind: "resolve_contradiction",
          priority: "high",
          title: `Resolve the evidence for and against ${cite(card)}`,
          why: "One decisive test is worth more than further arguments on either side.",
          calls: [calls.playbook("contradiction"), calls.openCard(card.id)],
        },
      },
    ];
  });

/** Reports only the two evidence cards that are hardest to check. */
export const weakEvidence: Rule = (linked) =>
  ofType(linked, "evidence")
    .filter((card) => isPinned(card) || isUsedByPinnedDecision(card, linked))
    .map((card) => ({ card, score: evidenceScore(card, linked) }))
    .filter(({ score }) => score < weakBelow)
    .sort((one, other) => one.score - other.score || (one.card.id < other.card.id ? -1 : 1))
    .slice(0, 2)
    .map(({ card, score }) => ({
      about: card,
      signal: {
        code: "BM2_EVIDENCE_WEAK",
        severity: "warning",
        message: `The evidence ${cite(card)} scores ${score} out of 100. Add the command and a link.`,
        refs: [card.id],
      },
    }));

function isUsedByPinnedDecision(card: CardNode, linked: Linked): boolean {
  return [...linked.outOf(card, "supports"), ...linked.into(card, "supports")].some(
    (other) => other.type === "decision" && isPinned(other),
  );
}

function leastConfident(cards: readonly CardNode[], linked: Linked) {
  return cards
    .map((card) => ({ card, value: confidence(card, linked) }))
    .sort((one, other) => one.value - other.value || (one.card.id < other.card.id ? -1 : 1))[0];
}

const percent = (value: number): string => `${Math.round(value * 100)}%`;

export const lowConfidence: Rule = (linked, calls) => {
  const pinned = ofType(linked, "decision").filter(isPinned);
  if (pinned.length > 0) {
    const worst = leastConfident(pinned, linked);
    if (!worst || worst.value > decisionLow) return [];
    return [
      {
        about: worst.card,
        signal: {
          code: "BM3_DECISION_LOW_CONFIDENCE",
          severity: "warning",
          message: `The pinned decision ${cite(worst.card)} has weak support: confidence ${percent(worst.value)}.`,
          refs: [worst.card.id],
        },
        action: {
          kind: "use_playbook",
          priority: "medium",
          title: `Design one experiment for ${cite(worst.card)}`,
          why: "Other work builds on this decision, so test it with one decisive experiment.",
          calls: [calls.playbook("experiment")],
        },
      },
    ];
  }
  const worst = leastConfident(ofType(linked, "hypothesis").filter(isOpen), linked);
  if (!worst || worst.value > hypothesisLow) return [];
  return [
    {
      about: worst.card,
      signal: {
        code: "BM3_HYPOTHESIS_LOW_CONFIDENCE",
        severity: "info",
        message: `There is more evidence against the hypothesis ${cite(worst.card)} than for it: confidence ${percent(worst.value)}.`,
        refs: [worst.card.id],
      },
    },
  ];
};

export const changedAssumption: Rule = (linked, calls) =>
  linked.cards
    .filter((card) => card.tags.includes("assumption") && !isOpen(card))
    .flatMap((card) => {
      const users = linked
        .outOf(card, "supports")
        .filter(
          (user) =>
            (user.type === "decision" || user.type === "hypothesis") && (isOpen(user) || isPinned(user)),
        );
      if (users.length === 0) return [];
      return [
        {
          about: card,
          signal: {
            code: "BM6_ASSUMPTION_NOT_OPEN_BUT_USED",
            severity: "warning" as const,
            message: `The assumption ${cite(card)} is ${card.status}. Cards that still depend on it: ${users.length}.`,
            refs: [card.id, ...users.slice(0, 5).map(({ id }) => id)],
          },
          action: {
            kind: "recheck_assumption" as const,
            priority: "medium" as const,
            title: `Recheck what depends on ${cite(card)}`,
            why: "If an assumption is wrong, everything based on it is open again.",
            calls: [
              calls.openCard(card.id),
              calls.addCard(
                {
                  type: "question",
                  title: `Is this still true without the assumption: ${clipWhole(nameOf(card), 200)}?`,
                  tags: ["recheck"],
                },
                { blocks: users.slice(0, 5).map(({ id }) => id) },
              ),
            ],
          },
        },
      ];
    });

const tradeOff = /\svs\.?\s|trade-?\s?off|\ba\/b\b/i;

export const tradeOffNamed: Rule = (linked, calls) =>
  ofType(linked, "question", "decision")
    .filter((card) => isOpen(card) && tradeOff.test(`${card.title ?? ""}\n${card.text ?? ""}`))
    .map((card) => ({
      about: card,
      action: {
        kind: "use_playbook",
        priority: "low",
        title: `Compare the options in ${cite(card)}`,
        why: "A matrix shows which criterion decides, and whether that criterion should decide.",
        calls: [calls.playbook("criteria_matrix")],
      },
    }));

/** True for an active card. Only active cards are worth challenging. */
const isActive = (card: CardNode): boolean =>
  isOpen(card) || card.status === "active" || card.status === "accepted";

export const unopposed: Rule = (linked, calls) =>
  ofType(linked, "hypothesis", "decision")
    .filter((card) => isActive(card) && !card.tags.includes("counter"))
    .filter((card) => supportersOf(card, linked).length > 0 && linked.into(card, "blocks").length === 0)
    .map((card) => ({
      about: card,
      signal: {
        code: "BM10_NO_COUNTER_EDGES",
        severity: "info",
        message: `Nothing contradicts ${cite(card)} yet.`,
        refs: [card.id],
      },
      action: {
        kind: "add_counter_hypothesis",
        priority: "medium",
        title: `Write the strongest case against ${cite(card)}`,
        why: "Supporting evidence alone shows only what someone looked for.",
        calls: [
          calls.addCard(
            {
              type: "hypothesis",
              title: `Counter: ${clipWhole(nameOf(card), 200)} is wrong`,
              text: "It would be wrong because:\nThen we would see:",
              tags: ["counter"],
            },
            { blocks: [card.id] },
          ),
        ],
      },
    }));
