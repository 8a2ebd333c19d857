import * as z from "zod";
import {
  type Anchor,
  type AnchorResolution,
  findAnchors,
  rateCandidate,
  resolveAnchor,
} from "../../../domain/anchors/resolve-anchor.ts";
import type { Session } from "../../../domain/ledger/session.ts";
import type { ChainedThought } from "../../../domain/ledger/thought.ts";
import { type Address, addressOf, nodeId } from "../../../domain/ledger/thought.ts";
import { count } from "../../../kernel/numbers.ts";
import { runInTurns, type Steps } from "../../../kernel/steps.ts";
import { clip } from "../../../kernel/text.ts";
import type { SessionQuery } from "../../../ports/ledger-store.ts";
import type { OperationContext } from "../../pipeline/context.ts";

const maxAnchors = 100;
const shownThoughts = 20;
const shownCharacters = 400;

const candidateSchema = z.strictObject({ sessionId: z.string(), title: z.string(), confidence: z.number() });

export const crossReferencesSchema = z.strictObject({
  anchorsFound: z.int(),
  resolved: z.int(),
  ambiguous: z.int(),
  unresolved: z.int(),
  details: z.array(
    z.strictObject({
      anchor: z.string(),
      thoughtNumber: z.int(),
      branchId: z.string().optional(),
      keyword: z.string(),
      range: z.array(z.int()),
      status: z.enum(["resolved", "ambiguous", "unresolved"]),
      candidates: z.array(candidateSchema),
      selected: candidateSchema
        .extend({ thoughts: z.array(z.strictObject({ thoughtNumber: z.int(), thought: z.string() })) })
        .optional(),
      hint: z.string().optional(),
    }),
  ),
});
type CrossReferences = z.infer<typeof crossReferencesSchema>;

/** Finds the sessions to which anchors such as `@auth-flow:S25` in a session's thoughts refer. */
export async function resolveCrossReferences(
  context: OperationContext,
  session: Session,
  thoughts: readonly ChainedThought[],
): Promise<CrossReferences> {
  const anchors = await runInTurns(anchorsIn(thoughts), context.signal);
  warnOfCuts(context, [...anchors.values()]);
  const details: CrossReferences["details"] = [];
  const find = createFinder(context);
  for (const anchor of [...anchors.values()].slice(0, maxAnchors)) {
    context.signal.throwIfAborted();
    const resolution = await resolve(find, session, anchor, session.project);
    const elsewhere =
      resolution.status === "unresolved" ? await tellElsewhere(context, find, session, anchor) : undefined;
    details.push({ ...(await describe(context, anchor, resolution)), ...(elsewhere && { hint: elsewhere }) });
  }
  const countOf = (status: AnchorResolution["status"]) =>
    details.filter((detail) => detail.status === status).length;
  return {
    anchorsFound: anchors.size,
    resolved: countOf("resolved"),
    ambiguous: countOf("ambiguous"),
    unresolved: countOf("unresolved"),
    details,
  };
}

type PlacedAnchor = Anchor & { in: Address };

function* anchorsIn(thoughts: readonly ChainedThought[]): Steps<Map<string, PlacedAnchor>> {
  const anchors = new Map<string, PlacedAnchor>();
  for (const { data } of thoughts) {
    for (const anchor of findAnchors(data.thought))
      anchors.set(`${nodeId("", data)} ${anchor.text}`, { ...anchor, in: addressOf(data) });
    yield;
  }
  return anchors;
}

function warnOfCuts({ warn }: OperationContext, anchors: readonly Anchor[]): void {
  const [first, ...others] = anchors.filter(({ cut }) => cut);
  if (!first) return;
  const more = others.length > 0 ? ` The same is true for ${count(others.length, "more anchor")}.` : "";
  warn({
    code: "ANCHOR_CUT",
    message: `${first.text} covers more than 200 thoughts. The anchor was read as @${first.keyword}:S${first.from}-S${first.to}.${more} Use shorter ranges.`,
  });
}

type Find = (
  filter: Pick<SessionQuery, "project" | "tags" | "tagMode" | "search">,
) => Promise<readonly Session[]>;

/** Returns a function that looks up each word once, because a session's anchors share most words. */
function createFinder({ ledger }: OperationContext): Find {
  const found = new Map<string, readonly Session[]>();
  return async (filter) => {
    const key = JSON.stringify(filter);
    const known = found.get(key);
    if (known) return known;
    await new Promise(setImmediate);
    const page = { limit: 100, offset: 0, sortBy: "updatedAt", sortOrder: "desc" } as const;
    const { sessions } = await ledger.listSessions({ ...page, ...filter });
    found.set(key, sessions);
    return sessions;
  };
}

/** Finds other sessions with the keyword as a tag, or with one of the keyword's words in the title. */
async function resolve(
  find: Find,
  session: Session,
  { keyword }: Anchor,
  project: string | undefined,
): Promise<AnchorResolution> {
  const found = [...(await find({ project, tags: [keyword, keyword.toLowerCase()], tagMode: "any" }))];
  for (const part of keyword.split(/[-_]+/).filter(Boolean).slice(0, 8))
    found.push(...(await find({ project, search: part, tagMode: "all" })));
  const candidates = new Map(found.map((candidate) => [candidate.id, candidate]));
  candidates.delete(session.id);
  return resolveAnchor(
    [...candidates.values()].map((candidate) => ({
      sessionId: candidate.id,
      title: candidate.title,
      confidence: rateCandidate(keyword, candidate),
    })),
  );
}

/** Reports that a session in another project matches, but does not show it. */
async function tellElsewhere(
  context: OperationContext,
  find: Find,
  session: Session,
  anchor: Anchor,
): Promise<string | undefined> {
  if (context.settings.projectLock) return undefined;
  const [best] = (await resolve(find, session, anchor, undefined)).candidates;
  const record = best && (await context.ledger.readSession(best.sessionId));
  return (
    record &&
    `A session in project ${record.session.project} matches this anchor, but an anchor can refer only to sessions in its own project.`
  );
}

async function describe(
  { ledger, settings }: OperationContext,
  { text, keyword, from, to, in: place }: PlacedAnchor,
  resolution: AnchorResolution,
): Promise<CrossReferences["details"][number]> {
  const mask = settings.secrets.forAnswer;
  const masked = <One extends { title: string }>(one: One): One => ({ ...one, title: mask(one.title) });
  const base = {
    anchor: text,
    ...place,
    keyword,
    range: [from, to],
    status: resolution.status,
    candidates: resolution.candidates.map(masked),
  };
  if (resolution.status !== "resolved") return base;
  const { selected } = resolution;
  const meant = await ledger.readThoughts(selected.sessionId, {
    select: "range",
    from,
    to,
    count: shownThoughts,
  });
  if (meant.length === 0)
    return { ...base, status: "unresolved", hint: `Session ${selected.sessionId} has no thought S${from}.` };
  const thoughts = meant.map(({ data }) => ({
    thoughtNumber: data.thoughtNumber,
    thought: clip(mask(data.thought), shownCharacters),
  }));
  return { ...base, selected: { ...masked(selected), thoughts } };
}
