import { clip } from "../../../kernel/text.ts";
import type { Engine } from "../../engine/run-engine.ts";

type Json = Record<string, unknown>;

export type CapsuleKind = "watch_capsule" | "think_pack_capsule" | "context_pack_capsule" | "resume_capsule";

export type CapsuleWhere = {
  workspace: string;
  branch: string;
  graph_doc: string;
  trace_doc: string;
  lane: string;
  target?: string | undefined;
  title?: string | undefined;
  step?: string | undefined;
};

type Brief = { id: string; title: string };

/** The cards that everything else hangs on. */
export type CapsuleKnown = {
  hypotheses: Brief[];
  decision?: (Brief & { status: string; evidence: Brief[] }) | undefined;
};

/** What to do where the engine proposes nothing. */
export type Fallback = { title: string; calls: { operation: string; args: Json }[] };

export type Capsule = {
  type: CapsuleKind;
  version: 1;
  where: Json;
  known?: CapsuleKnown;
  why?: Json[];
  next: Json;
};

const whySignals = 2;

/** Where the reader is, why it matters, what comes next: the part of a view that outlives every budget. */
export function buildCapsule(
  type: CapsuleKind,
  where: CapsuleWhere,
  known: CapsuleKnown | undefined,
  engine: Pick<Engine, "signals" | "actions">,
  fallback: Fallback,
): Capsule {
  const [primary, backup] = engine.actions.map(({ kind, priority, title, calls = [], command }) => ({
    kind,
    priority,
    title,
    ...(command !== undefined && { command }),
    calls,
  }));
  const first = primary ?? { kind: "continue", priority: "medium", ...fallback };
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

/** Smaller and smaller forms of a capsule; the last one has at most about 200 characters. */
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
    { type, where: place, next: { title: clip(title, 80) } },
    {
      type,
      where: pick(place, ["target" in place ? "target" : "branch", "step"]),
      next: { title: clip(title, 40) },
    },
  ];
}

const pick = (source: Json, names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(source).filter(([name]) => names.includes(name)));
