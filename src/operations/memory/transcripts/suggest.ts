import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import type { TranscriptRoot } from "../../../ports/transcript-files.ts";
import type { MemoryContext } from "../../pipeline/context.ts";

type Scanned = { bytes: number; truncated: boolean };
type Searched = {
  asked: { query: string; max_bytes_total: number; max_files: number };
  prefix: string | undefined;
  scanned: Scanned;
  hits: readonly { ref: { path: string; byte: number } }[];
};

const maxBytes = 1024 * 1024 * 1024;
const maxFiles = 20_000;

const more = ({ max_bytes_total, max_files }: { max_bytes_total: number; max_files: number }) => ({
  max_bytes_total: Math.min(maxBytes, max_bytes_total * 4),
  max_files: Math.min(maxFiles, max_files * 4),
});

/** The next call after a search: reading on at the first hit, or searching further. */
export function suggestAfterSearch(
  memory: MemoryContext,
  { directory }: TranscriptRoot,
  { asked, prefix, scanned, hits }: Searched,
): void {
  const { workspace } = memory;
  const [first] = hits;
  if (first)
    memory.suggest({
      operation: "transcripts_open",
      args: { workspace, root_dir: directory, ref: { path: first.ref.path, byte: first.ref.byte } },
      reason: "Read what stands around the first hit.",
      priority: "low",
    });
  const again = { workspace, query: asked.query, cwd_prefix: prefix ?? "/" };
  if (!first && scanned.truncated)
    memory.suggest({
      operation: "transcripts_search",
      args: { ...again, root_dir: directory, ...more(asked) },
      reason: "The budget ended before the files did; this reads further.",
      priority: "medium",
    });
  const elsewhere = memory.transcripts.roots.find((root) => root.directory !== directory);
  if (!first && !scanned.truncated && elsewhere && !isFirst(memory, directory, elsewhere.directory))
    memory.suggest({
      operation: "transcripts_search",
      args: { ...again, root_dir: elsewhere.directory },
      reason: "Nothing was found here; this looks in the other transcripts.",
      priority: "low",
    });
}

/** Looking further goes one way, so that suggestions end. */
function isFirst({ transcripts: { roots } }: MemoryContext, from: string, to: string): boolean {
  const order = roots.map(({ directory }) => directory);
  return order.indexOf(to) < order.indexOf(from);
}

/** A digest that found nothing in what it could read. */
export function suggestAfterDigest(
  memory: MemoryContext,
  { directory }: TranscriptRoot,
  asked: { max_bytes_total: number; max_files: number; mode: "summary" | "last" },
  prefix: string | undefined,
): void {
  const again = { workspace: memory.workspace, root_dir: directory, cwd_prefix: prefix ?? "/" };
  memory.warn({
    code: "DIGEST_INCOMPLETE",
    message: "Nothing was found before the budget ended; there may be more in what was not read.",
  });
  memory.suggest({
    operation: "transcripts_digest",
    args: { ...again, mode: asked.mode, ...more(asked) },
    reason: "This reads further.",
    priority: "medium",
  });
  if (asked.mode === "summary")
    memory.suggest({
      operation: "transcripts_digest",
      args: { ...again, mode: "last" },
      reason: "This takes the last message of each session instead of summaries.",
      priority: "medium",
    });
}

const capturedChars = 2_000;

/** What was opened may be worth keeping. */
export function suggestCapture(
  { workspace, suggest, settings }: MemoryContext,
  { path, byte }: { path: string; byte: number },
  entries: readonly { ref: { byte: number }; role: string; text: string }[],
): void {
  const opened = entries.find(({ ref }) => ref.byte === byte) ?? entries[0];
  if (!opened) return;
  // Suggestions are not masked with the answer.
  const text = settings.secrets.forAnswer(opened.text);
  suggest({
    operation: "macro_branch_note",
    args: {
      workspace,
      title: "From a transcript",
      content: `${opened.role}: ${clipWhole(text, capturedChars)}\n\n(${path}, byte ${byte})`,
    },
    reason: "Keep this as a note.",
    priority: "low",
  });
}
