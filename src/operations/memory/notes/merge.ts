import * as z from "zod";
import { unknownBranch } from "../../../domain/memory/failures.ts";
import { defaultDocs, mergeLimits } from "../../../domain/memory/limits.ts";
import { copyThought, type ThoughtCopy, thoughtSource } from "../../../domain/memory/merge/merge-notes.ts";
import type { NoteMergeOutcome } from "../../../domain/memory/steps/outcomes.ts";
import { count } from "../../../kernel/numbers.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { readSession } from "../../pipeline/find-session.ts";
import { defineMemory } from "../define-memory.ts";
import { branchName, describePage, mergeFields, pagination } from "../fields.ts";
import { type AskedMerge, resolveCopyTarget, resolveMergeTarget, sessionOf } from "../scope.ts";
import { createPacer } from "../transcripts/pace.ts";

export const merge = defineMemory({
  name: "merge",
  title: "Merge notes",
  summary:
    "Copies a branch's notes, or the thoughts of session/<id>, to the target branch, oldest first. Each entry is copied only once.",
  effect: "write",
  input: {
    ...mergeFields,
    from: branchName.describe("Branch to merge, or session/<id> for the thoughts of a session, as notes."),
  },
  output: {
    from: z.string(),
    into: z.string(),
    doc: z.string(),
    merged: z.int(),
    skipped: z.int(),
    pagination,
  },
  errors: ["MERGE_NOT_SUPPORTED", "UNKNOWN_ID", "INVALID_PAYLOAD", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [
    {
      title: "back into the base",
      given: "a workspace with a branch",
      input: { from: "try/cache", merge_to_base: true },
    },
    {
      title: "what would be copied",
      given: "a workspace with a branch",
      input: { from: "try/cache", into: "main", dry_run: true },
    },
    {
      title: "the thoughts of a session, as notes",
      given: "a session with a branch",
      input: { from: "session/$session" },
    },
  ],

  async handle({ doc = defaultDocs.notes, dry_run, cursor, limit, ...branches }, memory) {
    const { from } = branches;
    const sessionId = sessionOf(from);
    const asked = { ...branches, doc, dry_run };
    const { into, mergePart, finish } =
      sessionId === undefined
        ? await openBranchMerge(memory, asked)
        : await openSessionMerge(memory, sessionId, asked);
    const sum = { merged: 0, skipped: 0, lastSeq: cursor ?? 0, hasMore: true };
    let looked = 0;
    while (looked < limit && sum.hasMore) {
      const size = Math.min(mergeLimits.transaction, limit - looked);
      const { merged, skipped, lastSeq, hasMore } = await mergePart(sum.lastSeq, size);
      sum.merged += merged;
      sum.skipped += skipped;
      looked += merged + skipped;
      Object.assign(sum, { lastSeq, hasMore });
      memory.progress(looked, hasMore ? limit : looked, `merging ${from} into ${into}`);
      memory.signal.throwIfAborted();
    }
    finish();
    const { merged, skipped, lastSeq, hasMore } = sum;
    const page = { cursor, limit, count: looked, hasMore, next: lastSeq };
    return { from, into, doc, merged, skipped, pagination: describePage(page) };
  },
});

async function openBranchMerge(
  memory: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID" | "NO_CHECKOUT" | "MERGE_NOT_SUPPORTED">,
  { doc, dry_run, ...branches }: AskedMerge & { doc: string; dry_run: boolean },
): Promise<PartedMerge> {
  const { from } = branches;
  const into = await resolveMergeTarget(memory, branches);
  return {
    into,
    async mergePart(after, limit) {
      const part = { from, into, doc, after, limit };
      return dry_run
        ? memory.memory.previewNoteMerge(memory.workspace, part)
        : (await memory.commit([{ do: "merge_notes", ...part }]))[0];
    },
    finish() {},
  };
}

/**
 * A merge that runs in several transactions. Each step merges up to `size` items after `after`, or only previews them.
 */
type PartedMerge = {
  into: string;
  mergePart(after: number, size: number): Promise<NoteMergeOutcome>;
  finish(): void;
};

type MergeCodes = "INVALID_PAYLOAD" | "UNKNOWN_ID" | "MERGE_NOT_SUPPORTED";

/** Opens a merge of a session's thoughts in all chains, in order of arrival. */
async function openSessionMerge(
  memory: MemoryContext<MergeCodes>,
  sessionId: string,
  asked: AskedMerge & { doc: string; dry_run: boolean },
): Promise<PartedMerge> {
  const { workspace, ledger, settings } = memory;
  const { from, doc, dry_run } = asked;
  const record = await readSession(ledger, settings, sessionId);
  if (!record) throw unknownBranch(from, workspace);
  const { title } = record.session;
  const into = resolveCopyTarget(memory, asked);
  const guard = createGuard(memory);

  async function mergePart(after: number, size: number): Promise<NoteMergeOutcome> {
    const [before] = after > 0 ? await ledger.readLatest(sessionId, after + 1, 1) : [];
    // Reads one more entry, to detect whether more follow.
    const { entries, isLast } = await ledger.readStride(sessionId, before?.position ?? 0, size + 1);
    const thoughts = entries.slice(0, size);
    const sources = thoughts.map(thoughtSource);
    const look = { branch: into, doc, sources };
    const held = new Set(await memory.memory.heldThoughts(workspace, look));
    const fresh = thoughts.filter((thought) => !held.has(thoughtSource(thought)));
    const rest = {
      skipped: thoughts.length - fresh.length,
      lastSeq: thoughts.at(-1)?.seq ?? after,
      hasMore: entries.length > thoughts.length || !isLast,
    };
    if (dry_run) return { merged: fresh.length, ...rest };
    const copies = await guard.look(fresh.map((thought) => copyThought(title, thought)));
    const step = { do: "merge_thoughts", from, into, doc, thoughts: copies, ...rest } as const;
    return (await memory.commit([step]))[0];
  }

  return { into, mergePart, finish: guard.tell };
}

/** Returns a function that applies the secrets setting to the thoughts that a merge copies. */
function createGuard({ settings, signal, warn }: Pick<MemoryContext, "settings" | "signal" | "warn">) {
  const pace = createPacer(signal);
  let first: unknown;
  let leaking = 0;
  let masked = false;
  return {
    async look(copies: readonly ThoughtCopy[]): Promise<ThoughtCopy[]> {
      const safe: ThoughtCopy[] = [];
      for (const copy of copies) {
        const { title, content } = copy.entry;
        await pace(content.length);
        const { stored, places, isMasked } = settings.secrets.forInput({ title, content });
        safe.push(isMasked ? { ...copy, entry: { ...copy.entry, ...stored } } : copy);
        masked ||= isMasked;
        if (places.length === 0) continue;
        first ??= copy.entry.meta?.["source"];
        leaking += 1;
      }
      return safe;
    },
    tell(): void {
      if (leaking === 0) return;
      const done = masked ? "masked before storing" : "stored as written and is masked in answers";
      warn({
        code: masked ? "SECRET_MASKED" : "SECRET_DETECTED",
        message: `${count(leaking, "thought")} may contain a secret. The first is ${first}. The text was ${done}.`,
      });
    },
  };
}
