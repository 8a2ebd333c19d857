import * as z from "zod";
import type { KeptAction } from "../../domain/actions/kept-action.ts";
import { isCaptured } from "../../domain/ledger/session.ts";
import { addressSchema } from "../../domain/ledger/thought.ts";
import { capturedSessionOf } from "../../domain/transcripts/session/describe-session.ts";
import type { OperationContext } from "../pipeline/context.ts";
import { readSession } from "../pipeline/find-session.ts";

/**
 * An agent's own thoughts and the transcript of the same conversation are two sessions, each with its own
 * chain. The transcript's session shows each recorded thought once, at the call that recorded it.
 */
export const recordedSchema = z.strictObject({
  sessionId: z.string(),
  thoughtNumber: z.int(),
  branchId: z.string().optional(),
  /** Absent if the session was deleted or belongs to another project. */
  thought: z.string().optional(),
});
export type RecordedThought = z.infer<typeof recordedSchema>;

/** `after` is the last thought of the transcript before the call. */
export const placedSchema = recordedSchema.extend({ call: z.string(), after: addressSchema.optional() });

type Reading = Pick<OperationContext, "ledger" | "settings">;
type Recording = Extract<KeptAction, { type: "record" }>;

/** Quotes only thoughts in the same project, because a transcript may claim anything. */
export async function quoteRecorded(
  { ledger, settings }: Reading,
  project: string,
  { sessionId, ...address }: Recording["recorded"],
): Promise<RecordedThought> {
  const record = await readSession(ledger, settings, sessionId);
  const [found] =
    record?.session.project === project
      ? await ledger.readThoughts(sessionId, { ...address, select: "one" })
      : [];
  return { sessionId, ...address, ...(found && { thought: found.data.thought }) };
}

const mostRecordings = 1_000;

export async function readRecorded(
  context: Reading & Pick<OperationContext, "actions">,
  { id, project }: { id: string; project: string },
  count: number,
): Promise<z.infer<typeof placedSchema>[]> {
  if (!isCaptured(id)) return [];
  const found = await context.actions.readOfSession(id, { after: 0, limit: mostRecordings, type: "record" });
  const latest = found.flatMap(({ action }) => (action.type === "record" ? [action] : [])).slice(-count);
  return Promise.all(
    latest.map(async ({ call, after, recorded }) => ({
      ...(await quoteRecorded(context, project, recorded)),
      call,
      ...(after && { after }),
    })),
  );
}

export async function findTranscriptOf(
  { ledger, settings, conversations }: Reading & Pick<OperationContext, "conversations">,
  { id, project }: { id: string; project: string },
): Promise<string | undefined> {
  if (isCaptured(id)) return undefined;
  for (const { key } of await conversations.listWriters(id, "")) {
    const captured = capturedSessionOf(key?.client, key?.conversation);
    if (captured === undefined) continue;
    const record = await readSession(ledger, settings, captured);
    if (record?.session.project === project) return captured;
  }
  return undefined;
}
