import { isWithin } from "../../../domain/transcripts/project-hints.ts";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import type { TranscriptFiles } from "../../../ports/transcript-files.ts";
import { findMade } from "../../ledger/thought/read-actions.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { defineMemory } from "../define-memory.ts";
import { importFile } from "../transcripts/transcripts-import.ts";
import { ownSessions } from "./gather-recall.ts";
import { hookAnswer, hookFields, projectOf } from "./hook-fields.ts";

export const sessionCapture = defineMemory({
  name: "session_capture",
  title: "Record a client's session",
  summary:
    "Called by a client's hook after each turn. Imports the new lines of the session's transcript. Reads nothing until the user turns capture on.",
  effect: "write",
  input: hookFields,
  output: hookAnswer.shape,
  errors: [],
  examples: [{ title: "after a turn", given: "transcripts", input: { client: "codex", event: "Stop" } }],

  async handle({ client, session_id, transcript_path, event }, memory) {
    const { transcripts, settings, warn } = memory;
    if (!settings.mayCapture()) return {};
    const { root, path } = findTranscript(transcripts, { client, session_id, transcript_path });
    if (!root || path === undefined) return {};
    const ref = { path };
    const ended = /^sessionend$/i.test(event ?? "");
    try {
      // Refusals are caught below.
      const failing = memory as MemoryContext as MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID" | "CONFLICT">;
      await importFile(failing, {
        ref,
        root_dir: root.directory,
        include: "all",
        dry_run: false,
        ended,
        captured: true,
      });
    } catch (thrown) {
      // Returns no error, because clients show a failing hook to their users, who cannot fix it.
      if (!(thrown instanceof ThoughtboxError)) throw thrown;
      warn({ code: "NOT_CAPTURED", message: thrown.message });
    }
    if (ended || /^stop$/i.test(event ?? ""))
      await settleNotices(memory, { client, session_id, transcript_path });
    return {};
  },
});

/** Stores the notices that were sent before the session was captured. */
async function settleNotices(memory: MemoryContext, { client = "", session_id, transcript_path }: Told) {
  const { actions, caller, clock, conversations, emit, settings, spoken } = memory;
  const asked = { project: projectOf(settings, caller), client, conversation: session_id };
  const sessionId =
    (await ownSessions(conversations, { ...asked, transcript: transcript_path })).at(-1) ?? "";
  const open = spoken.takeOpen(sessionId);
  if (open.length === 0) return;
  await actions.record(sessionId, open);
  const made = await findMade(
    actions,
    sessionId,
    open.map(({ call }) => call),
  );
  const timestamp = clock().toISOString();
  for (const { call } of open)
    emit({ type: "agent_went_on", timestamp, sessionId, data: { call, wentOn: made.has(call) } });
}

type Told = Partial<Record<"client" | "session_id" | "transcript_path", string | undefined>>;

/**
 * opencode stores its sessions in a database instead of files. A session is found in that database by its ID.
 */
function findTranscript({ roots }: TranscriptFiles, { client, session_id: id, transcript_path: told }: Told) {
  if (!told) {
    const root = roots.find(({ format }) => format === "opencode" && format === client);
    return { root, path: id ? `opencode.db/${id}.jsonl` : undefined };
  }
  const root = roots.find(({ directory }) => isWithin(told, directory));
  return { root, path: root && told.slice(root.directory.length + 1).replaceAll("\\", "/") };
}
