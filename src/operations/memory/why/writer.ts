import * as z from "zod";
import { nodeId } from "../../../domain/ledger/thought.ts";
import { howSure } from "../../../domain/why/answer.ts";
import type { Attribution } from "../../../domain/why/attribute-lines.ts";
import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import { visible } from "../../../kernel/text.ts";
import type { Commit } from "../../../ports/repository.ts";
import type { BaseContext } from "../../pipeline/context.ts";
import type { Place } from "./find-origin.ts";

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

/** Describes who wrote an edit. `place` is the origin of the edit. */
export async function readWriter(
  { ledger }: BaseContext,
  found: Attribution,
  place: Place | undefined,
): Promise<Writer> {
  const { known } = found;
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
  /** The part of the message body that explains the lines. Set only in the answers of `why`. */
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
