import * as z from "zod";
import { type Anchor, findAnchors } from "../../../domain/anchors/find-anchors.ts";
import {
  type AnchorResolution,
  rateCandidate,
  resolveAnchor,
} from "../../../domain/anchors/resolve-anchor.ts";
import type { Session } from "../../../domain/ledger/session.ts";
import type { ChainedThought } from "../../../domain/ledger/thought.ts";
import { clip } from "../../../kernel/text.ts";
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

/** Anchors such as `@auth-flow:S25` in a session's thoughts, and the thoughts of other sessions that they mean. */
export async function resolveCrossReferences(
  context: OperationContext,
  session: Session,
  thoughts: readonly ChainedThought[],
): Promise<CrossReferences> {
  const anchors = new Map(
    thoughts.flatMap(({ data }) => findAnchors(data.thought)).map((anchor) => [anchor.text, anchor]),
  );
  warnOfCuts(context, [...anchors.values()]);
  const details: CrossReferences["details"] = [];
  for (const anchor of [...anchors.values()].slice(0, maxAnchors)) {
    context.signal.throwIfAborted();
    const resolution = await resolve(context, session, anchor, session.project);
    const elsewhere =
      resolution.status === "unresolved" ? await tellElsewhere(context, session, anchor) : undefined;
    details.push({ ...(await describe(context, anchor, resolution)), ...(elsewhere && { hint: elsewhere }) });
  }
  const count = (status: AnchorResolution["status"]) =>
    details.filter((detail) => detail.status === status).length;
  return {
    anchorsFound: anchors.size,
    resolved: count("resolved"),
    ambiguous: count("ambiguous"),
    unresolved: count("unresolved"),
    details,
  };
}

function warnOfCuts({ warn }: OperationContext, anchors: readonly Anchor[]): void {
  const [first, ...others] = anchors.filter(({ cut }) => cut);
  if (!first) return;
  const more = others.length > 0 ? ` So do ${others.length} more anchors.` : "";
  warn({
    code: "ANCHOR_CUT",
    message: `${first.text} covers more than 200 thoughts; it was read as @${first.keyword}:S${first.from}-S${first.to}.${more} Write shorter ranges.`,
  });
}

/** Candidates carry the keyword as a tag, or a word of it in their title; the session itself is none. */
async function resolve(
  { ledger }: OperationContext,
  session: Session,
  { keyword }: Anchor,
  project: string | undefined,
): Promise<AnchorResolution> {
  const page = {
    project,
    limit: 100,
    offset: 0,
    sortBy: "updatedAt",
    sortOrder: "desc",
  } as const;
  const tagged = await ledger.listSessions({
    ...page,
    tags: [keyword, keyword.toLowerCase()],
    tagMode: "any",
  });
  const named = await Promise.all(
    keyword
      .split(/[-_]+/)
      .filter(Boolean)
      .slice(0, 8)
      .map((part) => ledger.listSessions({ ...page, search: part, tagMode: "all" })),
  );
  const all = new Map(
    [tagged, ...named].flatMap(({ sessions }) => sessions).map((found) => [found.id, found]),
  );
  all.delete(session.id);
  return resolveAnchor(
    [...all.values()].map((found) => ({
      sessionId: found.id,
      title: found.title,
      confidence: rateCandidate(keyword, found),
    })),
  );
}

/** Another project's sessions are not shown, only that there is one which would be meant. */
async function tellElsewhere(
  context: OperationContext,
  session: Session,
  anchor: Anchor,
): Promise<string | undefined> {
  if (context.settings.projectLock) return undefined;
  const [best] = (await resolve(context, session, anchor, undefined)).candidates;
  const record = best && (await context.ledger.readSession(best.sessionId));
  return (
    record &&
    `A session of project ${record.session.project} answers to it; anchors look in their own project.`
  );
}

async function describe(
  { ledger }: OperationContext,
  { text, keyword, from, to }: Anchor,
  resolution: AnchorResolution,
): Promise<CrossReferences["details"][number]> {
  const base = {
    anchor: text,
    keyword,
    range: [from, to],
    status: resolution.status,
    candidates: resolution.candidates,
  };
  if (resolution.status !== "resolved") return base;
  const { selected } = resolution;
  const meant = await ledger.readThoughts(selected.sessionId, {
    select: "range",
    from,
    to,
    count: shownThoughts,
  });
  const thoughts = meant.map(({ data }) => ({
    thoughtNumber: data.thoughtNumber,
    thought: clip(data.thought, shownCharacters),
  }));
  return { ...base, selected: { ...selected, thoughts } };
}
