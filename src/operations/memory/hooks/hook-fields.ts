import * as z from "zod";
import { type Caller, ownProject, type Settings } from "../../pipeline/context.ts";

/** Clients fill in these fields from their own events, so an empty text is treated as omitted. */
export const given = (max: number, says: string) => z.string().max(max).optional().describe(says);

export const hookFields = {
  client: given(40, "Name of the client, such as claude-code or codex."),
  event: given(60, "The client's name for the event, such as SessionStart."),
  source: given(40, "Why a session starts: startup, resume, clear or compact."),
  session_id: given(200, "The client's ID for the conversation."),
  transcript_path: given(4_096, "The transcript that the client writes."),
};

/** The form that clients read from a hook. Empty if there is no message. */
export const hookAnswer = z.strictObject({
  hookSpecificOutput: z
    .strictObject({
      hookEventName: z.string(),
      additionalContext: z.string().optional(),
      permissionDecision: z.literal("deny").optional(),
      permissionDecisionReason: z.string().optional(),
    })
    .optional(),
  additionalContext: z.string().optional(),
});

export const projectOf = (settings: Settings, caller: Caller): string => ownProject(caller, settings);
