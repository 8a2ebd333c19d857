import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import type { Engine } from "../../engine/run-engine.ts";

type Json = Record<string, unknown>;

export type CapsuleKind = "watch_capsule" | "think_pack_capsule" | "context_pack_capsule" | "resume_capsule";

export type CapsuleWhere = {
  workspace: string;
  branch: string;
  graph_doc?: string | undefined;
  trace_doc?: string | undefined;
  lane?: string | undefined;
  target?: string | undefined;
  title?: string | undefined;
  step?: string | undefined;
};

type Brief = { id: string; title: string };

/** The cards that the rest of the work depends on. */
export type CapsuleKnown = {
  hypotheses: Brief[];
  decision?: (Brief & { status: string; evidence: Brief[] }) | undefined;
};

/** The current step of the work, with its tests and blockers. */
export type OwnStep = {
  title: string;
  criteria?: string[];
  tests?: string[];
  blockers?: string[];
  calls: { operation: string; args: Json }[];
};

export type Capsule = {
  type: CapsuleKind;
  version: 1;
  where: Json;
  known?: CapsuleKnown;
  why?: Json[];
  next: Json;
};

const whySignals = 2;

/**
 * Builds a capsule with the current place, its purpose and the next action. The next action is the work
 * itself, unless a known problem must be fixed first.
 */
export function buildCapsule(
  type: CapsuleKind,
  where: CapsuleWhere,
  known: CapsuleKnown | undefined,
  engine: Pick<Engine, "signals" | "actions">,
  own: OwnStep,
): Capsule {
  const proposed = engine.actions.map(({ kind, priority, title, calls = [], command }) => ({
    kind,
    priority,
    title,
    ...(command !== undefined && { command }),
    calls,
  }));
  const work = { kind: "continue", priority: "medium", ...own };
  const isUrgent = engine.signals.some(({ severity }) => severity === "high") || !where.target;
  const [first = work, backup] = isUrgent ? [...proposed, work] : [work, ...proposed];
  return {
    type,
    version: 1,
    where: Object.fromEntries(Object.entries(where).filter(([, value]) => value !== undefined)),
    ...(known && { known }),
    why: engine.signals
      .slice(0, whySignals)
      .map(({ code, severity, message }) => ({ code, severity, message })),
    next: { title: first.title, primary: first, ...(backup && { backup }) },
  };
}

/** Builds a capsule for an empty workspace. */
export const emptyCapsule = (type: CapsuleKind, workspace: string, first: OwnStep): Capsule =>
  buildCapsule(type, { workspace, branch: "main" }, undefined, { signals: [], actions: [] }, first);

/** Returns progressively smaller forms of a capsule. The smallest has at most about 200 characters. */
export function shrinkCapsule({ type, version, where, known, why, next }: Capsule): Json[] {
  const { primary, backup, title = "" } = (next ?? {}) as { primary?: Json; backup?: Json; title?: string };
  const bare = (action: Json | undefined) => {
    const { calls: _calls, command: _command, ...rest } = action ?? {};
    return rest;
  };
  const withoutCalls = { title, primary: bare(primary), ...(backup && { backup: bare(backup) }) };
  const place = pick(where ?? {}, ["target", "step", "branch"]);
  return [
    { type, version, where, known, why, next },
    { type, version, where, known, why, next: withoutCalls },
    { type, version, where, known, why: why?.slice(0, 1), next: { title } },
    { type, version, where, known, next: { title } },
    { type, version, where, next: { title } },
    { type, where: place, next: { title: clipWhole(title, 80) } },
    {
      type,
      where: pick(place, ["target" in place ? "target" : "branch", "step"]),
      next: { title: clipWhole(title, 40) },
    },
  ];
}

const pick = (source: Json, names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(source).filter(([name]) => names.includes(name)));

type ScopeContents = { notes: boolean; cards: boolean };

type Bridge = {
  checkout: string;
  docs: { notes: string; trace: string; graph: string };
  has: ScopeContents;
};

/** Points to the contents of the checkout if nothing is recorded for the target. */
export function bridgeTo(
  target: ScopeContents,
  checkout: { branch: string; docs: Bridge["docs"]; has: ScopeContents } | undefined,
): Bridge | undefined {
  if (target.notes || target.cards || !checkout) return undefined;
  if (!checkout.has.notes && !checkout.has.cards) return undefined;
  return { checkout: checkout.branch, docs: checkout.docs, has: checkout.has };
}
