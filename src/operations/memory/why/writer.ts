import * as z from "zod";
import { nodeId } from "../../../domain/ledger/thought.ts";
import { howSure } from "../../../domain/why/answer.ts";
import type { Attribution } from "../../../domain/why/attribute-lines.ts";
import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import { visible } from "../../../kernel/text.ts";
import type { Commit } from "../../../ports/repository.ts";
import type { BaseContext } from "../../pipeline/context.ts";

export const writerSchema = z.strictObject({
  sessionId: z.string(),
  title: z.string().optional(),
  thought: z.string().optional(),
  edit: z.string(),
  at: z.string(),
  agent: z.string(),
  how: z.enum(["sure", "likely", "by-commit"]),
});
export type Writer = z.infer<typeof writerSchema>;

const mostCopies = 10;

type Places = Attribution["known"]["places"];

/**
 * If sessions repeat each other, chooses the original. Not every client records which one that is, but a copy ends
 * later.
 */
async function findOrigin(
  { actions, ledger }: BaseContext,
  places: Places,
): Promise<Places[number] | undefined> {
  if (places.length < 2) return places[0];
  const ids = new Set(places.map(({ sessionId }) => sessionId));
  const ends: { place: Places[number]; end: string }[] = [];
  for (const place of places.slice(0, mostCopies)) {
    const forks = await actions.readOfSession(place.sessionId, { after: 0, limit: 1, type: "fork" });
    const origin = forks[0]?.action.type === "fork" ? forks[0].action.origin : undefined;
    const end = (await ledger.readSession(place.sessionId))?.session.updatedAt;
    if (end !== undefined && (origin === undefined || !ids.has(origin))) ends.push({ place, end });
  }
  ends.sort((a, b) => (a.end < b.end ? -1 : a.end > b.end ? 1 : 0));
  return ends[0]?.place ?? places[0];
}

export async function readWriter(context: BaseContext, found: Attribution): Promise<Writer> {
  const { ledger } = context;
  const { known } = found;
  const place = await findOrigin(context, known.places);
  const sessionId = place?.sessionId ?? "";
  const record = await ledger.readSession(sessionId);
  return {
    sessionId,
    ...(record && { title: record.session.title }),
    ...(place?.after && { thought: nodeId(sessionId, place.after) }),
    edit: known.edit.call,
    at: toTime(known.time),
    agent: place?.branchId ?? record?.session.tags.find((tag) => tag !== "transcript") ?? "agent",
    how: howSure(found),
  };
}

export const commitSchema = z.strictObject({
  sha: z.string(),
  subject: z.string(),
  /** The part of the message body that explains the lines. Only in the answers of `why`. */
  message: z.string().optional(),
  author: z.string(),
  at: z.string(),
});

const longestSubject = 200;

export const showCommit = ({ id, subject, author, authored }: Commit): z.infer<typeof commitSchema> => ({
  sha: id.slice(0, 12),
  subject: clipWhole(visible(subject), longestSubject),
  author: clipWhole(visible(author), 60),
  at: toTime(authored),
});

export const toTime = (time: number): string => new Date(time).toISOString();
