import { isWithin } from "../../../domain/transcripts/project-hints.ts";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { defineMemory } from "../define-memory.ts";
import { importFile } from "../transcripts/transcripts-import.ts";
import { hookAnswer, hookFields } from "./hook-fields.ts";

export const sessionCapture = defineMemory({
  name: "session_capture",
  title: "Record a client's session",
  summary:
    "Answers a client's hook after a turn: imports what is new in its transcript. It reads nothing before the user agreed to capture.",
  effect: "write",
  input: hookFields,
  output: hookAnswer.shape,
  errors: [],
  examples: [{ title: "after a turn", given: "transcripts", input: { client: "codex", event: "Stop" } }],

  async handle({ transcript_path: path, event }, memory) {
    const { transcripts, settings, warn } = memory;
    if (!path || !settings.mayCapture()) return {};
    const root = transcripts.roots.find(({ directory }) => isWithin(path, directory));
    if (!root) return {};
    const ref = { path: path.slice(root.directory.length + 1).replaceAll("\\", "/") };
    const ended = /^sessionend$/i.test(event ?? "");
    try {
      // What it refuses is caught here.
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
      // A client shows a failing hook to its user, who can do nothing about it.
      if (!(thrown instanceof ThoughtboxError)) throw thrown;
      warn({ code: "NOT_CAPTURED", message: thrown.message });
    }
    return {};
  },
});
