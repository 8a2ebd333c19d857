import type { CardStep } from "../../../domain/memory/cards/decide-cards.ts";
import { firstOpen } from "../../../domain/tasks/steps.ts";
import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import type { FileListing, TranscriptRoot } from "../../../ports/transcript-files.ts";
import type { MemoryContext } from "../../pipeline/context.ts";

type Scanned = { bytes: number; truncated: boolean };
type Searched = {
  asked: { query: string } & ReadingBudget;
  prefix: string | undefined;
  listing: FileListing;
  scanned: Scanned;
  hits: readonly { ref: { path: string; byte: number } }[];
};

const maxBytes = 1024 * 1024 * 1024;
const maxFiles = 20_000;

type ReadingBudget = { max_bytes_total: number; max_files: number };

/** Extra bytes in a budget, because a file's beginning is read twice and each file has a limit. */
const slackBytes = { file: 1024 * 1024, all: 32 * 1024 * 1024 };

/** Returns a budget that covers every file, within the limits of the fields. */
const enough = ({ files }: FileListing, { max_bytes_total, max_files }: ReadingBudget): ReadingBudget => {
  const needed = files.reduce((sum, { bytes }) => sum + bytes + slackBytes.file, slackBytes.all);
  return {
    max_bytes_total: Math.min(maxBytes, Math.max(max_bytes_total, needed)),
    max_files: Math.min(maxFiles, Math.max(max_files, files.length)),
  };
};

export function suggestAfterSearch(
  memory: MemoryContext,
  { directory }: TranscriptRoot,
  { asked, prefix, listing, scanned, hits }: Searched,
): void {
  const { workspace } = memory;
  const [first] = hits;
  if (first)
    memory.suggest({
      operation: "transcripts_open",
      args: { workspace, root_dir: directory, ref: { path: first.ref.path, byte: first.ref.byte } },
      reason: "Read the text around the first hit.",
      priority: "low",
    });
  const again = { workspace, query: asked.query, cwd_prefix: prefix ?? "/" };
  if (!first && scanned.truncated)
    memory.suggest({
      operation: "transcripts_search",
      args: { ...again, root_dir: directory, ...enough(listing, asked) },
      reason: "The budget was used up before all files were read. This call's budget covers all files.",
      priority: "medium",
    });
  const elsewhere = memory.transcripts.roots.find((root) => root.directory !== directory);
  if (!first && !scanned.truncated && elsewhere && !isFirst(memory, directory, elsewhere.directory))
    memory.suggest({
      operation: "transcripts_search",
      args: { ...again, root_dir: elsewhere.directory },
      reason: "Nothing was found here. This call searches the other transcripts.",
      priority: "low",
    });
}

/** True if `to` precedes `from`. Suggestions never go back, so following them cannot loop. */
function isFirst({ transcripts: { roots } }: MemoryContext, from: string, to: string): boolean {
  const order = roots.map(({ directory }) => directory);
  return order.indexOf(to) < order.indexOf(from);
}

export function suggestAfterDigest(
  memory: MemoryContext,
  { directory }: TranscriptRoot,
  asked: ReadingBudget & { mode: "summary" | "last" },
  listing: FileListing,
  prefix: string | undefined,
): void {
  const again = { workspace: memory.workspace, root_dir: directory, cwd_prefix: prefix ?? "/" };
  memory.warn({
    code: "DIGEST_INCOMPLETE",
    message: "Nothing was found before the budget was used up. The remaining files were not searched.",
  });
  memory.suggest({
    operation: "transcripts_digest",
    args: { ...again, mode: asked.mode, ...enough(listing, asked) },
    reason: "This call's budget covers all files.",
    priority: "medium",
  });
  if (asked.mode === "summary")
    memory.suggest({
      operation: "transcripts_digest",
      args: { ...again, mode: "last", ...enough(listing, asked) },
      reason: "This call returns the last message of each session instead of summaries.",
      priority: "medium",
    });
}

const capturedChars = 2_000;

/** Suggests a note about the current step if a task is in focus. */
export async function suggestCapture(
  memory: MemoryContext,
  { path, byte }: { path: string; byte: number },
  entries: readonly { ref: { byte: number }; role: string; text: string }[],
): Promise<void> {
  const { workspace, suggest, settings } = memory;
  const opened = entries.find(({ ref }) => ref.byte === byte) ?? entries[0];
  if (!opened) return;
  // Suggestions are not masked together with the answer.
  const text = settings.secrets.forAnswer(opened.text);
  const note = {
    workspace,
    title: "From a transcript",
    content: `${opened.role}: ${clipWhole(text, capturedChars)}\n\n(${path}, byte ${byte})`,
  };
  const step = await findFocusStep(memory);
  suggest({
    ...(step
      ? { operation: "notes_commit", args: { ...note, target: step.task_id, meta: { step } } }
      : { operation: "macro_branch_note", args: note }),
    reason: step ? `Save this as a note about ${step.path}.` : "Save this as a note.",
    priority: "low",
  });
}

async function findFocusStep({ memory, workspace, state }: MemoryContext): Promise<CardStep | undefined> {
  const focus = state?.focus === undefined ? undefined : await memory.readItem(workspace, state.focus);
  if (focus?.kind !== "task") return undefined;
  const step = firstOpen(await memory.readSteps(workspace, focus.id));
  return step && { task_id: focus.id, step_id: step.step_id, path: step.path };
}
