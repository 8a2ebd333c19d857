import type { CardNode, CardType } from "../memory/cards/card.ts";

type SuggestedCall = { operation: string; args: Record<string, unknown> };

type StubCard = { type: CardType; title: string; text?: string; tags?: string[] };

/** Builds the calls that the engine proposes. The engine does not know the workspace or the names of operations. */
export type Calls = {
  openCard(id: string): SuggestedCall;
  playbook(name: string): SuggestedCall;
  publish(id: string): SuggestedCall;
  addCard(card: StubCard, edges: { supports?: string[]; blocks?: string[] }): SuggestedCall;
};

export type Severity = "high" | "warning" | "info";
export type Priority = "high" | "medium" | "low";

export type Signal = { code: string; severity: Severity; message: string; refs?: string[] };

export type Action = {
  kind:
    | "run_test"
    | "add_test_stub"
    | "resolve_contradiction"
    | "use_playbook"
    | "publish_decision"
    | "recheck_assumption"
    | "add_counter_hypothesis";
  priority: Priority;
  title: string;
  why?: string;
  calls?: SuggestedCall[];
  /** Commands to run by hand. Thoughtbox does not execute these commands. */
  command?: string;
  /** A template. Before sending the call, the agent adds its observation. */
  evidence_template?: SuggestedCall;
};

export type Finding = { signal?: Signal; action?: Action; about: CardNode | undefined };

const severities: readonly Severity[] = ["high", "warning", "info"];
const priorities: readonly Priority[] = ["high", "medium", "low"];

export function orderSignals(findings: readonly Finding[], first: (finding: Finding) => boolean): Signal[] {
  return findings
    .flatMap((finding) => (finding.signal ? [{ ...finding, signal: finding.signal }] : []))
    .sort(
      (one, other) =>
        Number(first(other)) - Number(first(one)) ||
        severities.indexOf(one.signal.severity) - severities.indexOf(other.signal.severity) ||
        newest(one, other) ||
        compare(one.signal.code, other.signal.code) ||
        compare(one.signal.message, other.signal.message),
    )
    .map(({ signal }) => signal);
}

export function orderActions(findings: readonly Finding[], first: (finding: Finding) => boolean): Action[] {
  const actions = findings
    .flatMap((finding) => (finding.action ? [{ ...finding, action: finding.action }] : []))
    .sort(
      (one, other) =>
        Number(first(other)) - Number(first(one)) ||
        priorities.indexOf(one.action.priority) - priorities.indexOf(other.action.priority) ||
        newest(one, other) ||
        compare(one.action.kind, other.action.kind) ||
        compare(one.action.title, other.action.title),
    )
    .map(({ action }) => action);
  return [
    ...new Map(actions.toReversed().map((action) => [`${action.kind} ${action.title}`, action])).values(),
  ].reverse();
}

const newest = ({ about: one }: Finding, { about: other }: Finding): number =>
  (other?.last_ts_ms ?? 0) - (one?.last_ts_ms ?? 0) || (other?.last_seq ?? 0) - (one?.last_seq ?? 0);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
