import { nameOf } from "../../../domain/memory/cards/card.ts";
import { type Capsule, shrinkCapsule } from "../../../domain/memory/views/capsule.ts";
import { kindOf } from "../../../domain/tasks/item.ts";
import { clip } from "../../../kernel/text.ts";
import type { PackList } from "../../pipeline/fit/pack.ts";
import type { Continuation, Json } from "../../pipeline/fit/trim.ts";
import { stubNode } from "../graph/graph-schemas.ts";
import { stubEntry } from "../notes/entry-schema.ts";

/** Cards are ordered by relevance or age, so the last ones are dropped first. */
export const cardsAt = (path: string): PackList => ({ path, oldest: "last", stub: stubCard });

/** A card without a title is identified by its first line. */
const stubCard = (card: Json): Json =>
  stubNode({
    ...card,
    ...(card["title"] === undefined && card["text"] !== undefined && { title: nameOf(card as Named) }),
  });

type Named = Parameters<typeof nameOf>[0];

/** Entries are oldest first. */
export const entriesAt = (path: string): PackList => ({
  path,
  oldest: "first",
  cursor: ({ seq }) => seq,
  stub: (entry) => stubEntry({ ...entry, title: entry["title"] ?? firstLine(entry["content"]) }),
});

const firstLine = (text: unknown): string | undefined =>
  typeof text === "string" ? text.trimStart().split("\n", 1)[0] : undefined;

export const listAt = (path: string): PackList => ({ path, oldest: "last" });

export const signalLists: readonly PackList[] = [
  cardsAt("signals.decisions"),
  cardsAt("signals.evidence"),
  cardsAt("signals.blockers"),
];
/** Stubs omit calls, because the capsule contains the calls of the first action. */
export const engineLists: readonly PackList[] = [
  { ...listAt("engine.signals"), stub: ({ code, severity, message }) => ({ code, severity, message }) },
  { ...listAt("engine.actions"), stub: ({ kind, priority, title }) => ({ kind, priority, title }) },
];

/** The capsule is kept at any budget. */
export const keepCapsule = {
  key: "capsule",
  forms: (block: Json): Json[] => shrinkCapsule(block as Capsule),
};

/** Used for a radar that has no capsule. Keeps the current step. */
export const keepRadar = {
  key: "radar",
  forms(radar: Json): Json[] {
    const { now, why, verify } = radar as { now: string; why?: string; verify?: string[] };
    const first = verify?.slice(0, 1).map((line) => clip(line, 40));
    return [
      radar,
      { now: clip(now, 200), why: clip(why ?? "", 80), verify: first },
      { now: clip(now, 120), verify: first },
      { now: clip(now, 40) },
    ];
  },
};

const placeFields = ["workspace", "target", "ref", "graph_doc", "step"] as const;

/** Returns the calls that show what was omitted. The most important call is last. */
export function showsLeftOut(args: Json, answer: Json): Continuation[] {
  return isSession(args) ? [otherThoughts(args)] : [...showsDocuments(args, answer), otherCards(args)];
}

export function showsDocuments(args: Json, answer: Json): Continuation[] {
  const lost = (answer["degradation"] as { left_out?: Record<string, number> } | undefined)?.left_out;
  return (["trace", "notes"] as const).flatMap((kind) =>
    (lost?.[kind] ?? 0) > 0 ? [otherEntries(args, answer, kind)] : [],
  );
}

const isSession = ({ target }: Json): boolean => typeof target === "string" && kindOf(target) === undefined;

const otherThoughts = ({ workspace, target }: Json): Continuation => ({
  operation: "show",
  args: { workspace, branch: `session/${target}` },
  shows: "its thoughts",
});

export function otherCards(args: Json): Continuation {
  const { branch, target, view } = args;
  const place = Object.fromEntries(
    placeFields.flatMap((field) => (field in args ? [[field, args[field]]] : [])),
  );
  const drafts = args["all_lanes"] === true || args["include_drafts"] === true || view === "audit";
  const named = typeof branch === "string" && target === undefined ? { ref: branch } : {};
  return {
    operation: "think_query",
    args: { ...place, ...named, ...(drafts && { include_drafts: true }) },
    shows: "all cards, page by page",
  };
}

function otherEntries(args: Json, answer: Json, kind: "notes" | "trace"): Continuation {
  const { workspace, target, ref } = args;
  const doc = args[`${kind}_doc`];
  const block = answer[kind] as { pagination?: { next_cursor?: unknown } } | undefined;
  const cursor = block?.pagination?.next_cursor;
  return {
    operation: "show",
    args: {
      workspace,
      ...(target !== undefined && { target }),
      ...(ref !== undefined && { branch: ref }),
      ...(doc === undefined ? { doc_kind: kind } : { doc }),
      ...(cursor !== undefined && { cursor }),
    },
    shows: kind === "notes" ? "older notes" : "older trace entries",
  };
}
