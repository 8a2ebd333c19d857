import { clipWhole } from "../../kernel/secrets/secrets-policy.ts";
import { type CardNode, isOpen, nameOf } from "../memory/cards/card.ts";
import { commandOf } from "./confidence.ts";
import type { Action, Calls, Finding, Priority } from "./findings.ts";
import { cite, type Rule } from "./rules.ts";
import type { Linked, SliceEntry } from "./slice.ts";

const day = 86_400_000;
const dropped: readonly string[] = ["merged", "rejected", "canceled", "cancelled"];

type Runnable = { card: CardNode; command: string; newest: CardNode | undefined };

function runnableTests(linked: Linked): Runnable[] {
  return linked.cards.flatMap((card) => {
    const command = card.type === "test" && !dropped.includes(card.status) ? commandOf(card) : undefined;
    if (command === undefined) return [];
    const evidence = [...linked.into(card, "supports"), ...linked.into(card, "blocks")].filter(
      ({ type }) => type === "evidence",
    );
    const newest = evidence.reduce<CardNode | undefined>(
      (best, next) => (best === undefined || next.last_ts_ms > best.last_ts_ms ? next : best),
      undefined,
    );
    return [{ card, command, newest }];
  });
}

/** Proposes to run a test and record an evidence card. The agent fills in the observation. */
function runTest({ card, command }: Runnable, priority: Priority, why: string, calls: Calls): Action {
  return {
    kind: "run_test",
    priority,
    title: `Run ${cite(card)}`,
    why,
    calls: [calls.openCard(card.id)],
    command: clipWhole(command, 500),
    evidence_template: calls.addCard(
      {
        type: "evidence",
        title: `Result of: ${clipWhole(nameOf(card), 200)}`,
        text: `CMD: ${clipWhole(command, 500)}\nLINK: <where the output can be seen>\nObserved: <what it printed>`,
      },
      { supports: [card.id] },
    ),
  };
}

export const testToRun: Rule = (linked, calls) =>
  runnableTests(linked)
    .filter(({ card, newest }) => isOpen(card) && newest === undefined)
    .map((test) => ({
      about: test.card,
      action: runTest(test, "high", "The test has a command but was never run.", calls),
    }));

export const staleEvidence =
  (staleAfterDays: number): Rule =>
  (linked, calls) => {
    const proven = runnableTests(linked).filter(({ newest }) => newest !== undefined);
    const ageOf = ({ newest }: Runnable): number => linked.now - (newest?.last_ts_ms ?? linked.now);
    const stale = proven.filter((test) => ageOf(test) > staleAfterDays * day);
    if (stale.length > 0)
      return stale.map((test): Finding => {
        const days = Math.floor(ageOf(test) / day);
        return {
          about: test.card,
          signal: {
            code: "BM8_EVIDENCE_STALE",
            severity: "warning",
            message: `The newest evidence for ${cite(test.card)} is ${days} days old.`,
            refs: [test.card.id, test.newest?.id ?? ""].filter((id) => id !== ""),
          },
          action: runTest(test, "medium", `Its evidence is ${days} days old.`, calls),
        };
      });
    if (proven.length === 0) return [];
    return [
      {
        about: undefined,
        signal: {
          code: "BM5_RUNNABLE_TESTS_FRESH",
          severity: "info",
          message: `${proven.length === 1 ? "The runnable test has" : `All ${proven.length} runnable tests have`} fresh evidence.`,
          refs: proven.slice(0, 5).map(({ card }) => card.id),
        },
      },
    ];
  };

const lookedAt = 12;
const enoughCards = 6;

/**
 * Returns a finding if the agent wrote many cards but tested nothing. Uses the trace, because it shows the
 * order of events.
 */
export function stuck(trace: readonly SliceEntry[], calls: Calls): Finding[] {
  const types = trace
    .slice(-lookedAt)
    .flatMap(({ card_type }) => (card_type === undefined ? [] : [card_type]));
  if (types.length < enoughCards || types.some((type) => type === "evidence" || type === "decision"))
    return [];
  return [
    {
      about: undefined,
      signal: {
        code: "BM10_STUCK_NO_EVIDENCE",
        severity: "warning",
        message: `The last ${Math.min(lookedAt, trace.length)} entries contain ${types.length} cards, but no evidence and no decision.`,
      },
      action: {
        kind: "use_playbook",
        priority: "medium",
        title: "Change the approach",
        why: "Another thought will not help. An observation will.",
        calls: [calls.playbook("debug")],
      },
    },
  ];
}
