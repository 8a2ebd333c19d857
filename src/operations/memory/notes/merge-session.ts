import { defaultBranch } from "../../../domain/memory/limits.ts";
import { copyThought, type ThoughtCopy, thoughtSource } from "../../../domain/memory/merge/thought-copy.ts";
import { unknownBranch } from "../../../domain/memory/refusals.ts";
import type { NoteMergeOutcome } from "../../../domain/memory/steps/outcomes.ts";
import { count } from "../../../kernel/numbers.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { readSession } from "../../pipeline/standing.ts";
import { type AskedMerge, resolveCopyTarget } from "../scope.ts";
import { createPacer } from "../transcripts/pace.ts";

/** A merge in transactions of its own: up to `size` of what comes after `after`, or only what would happen to it. */
export type PartedMerge = {
  into: string;
  mergePart(after: number, size: number): Promise<NoteMergeOutcome>;
  /** Once all is done, says what there is to say of it. */
  finish(): void;
};

type MergeCodes = "INVALID_PAYLOAD" | "UNKNOWN_ID" | "MERGE_NOT_SUPPORTED";

/** The thoughts of a session as notes: those of all chains, in the order of their arrival. */
export async function openSessionMerge(
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
  const isNew = memory.state === undefined && into === defaultBranch;
  const guard = createGuard(memory);

  async function mergePart(after: number, size: number): Promise<NoteMergeOutcome> {
    const [before] = after > 0 ? await ledger.readLatest(sessionId, after + 1, 1) : [];
    // One more than wanted, so that it is known whether anything follows.
    const { entries, isLast } = await ledger.readStride(sessionId, before?.position ?? 0, size + 1);
    const thoughts = entries.slice(0, size);
    const sources = thoughts.map(thoughtSource);
    const look = { branch: into, doc, sources };
    const held = new Set(isNew ? [] : await memory.memory.heldThoughts(workspace, look));
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

/** The rule for secrets holds for what is copied as for what a caller writes. */
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
      const done = masked ? "masked before storing" : "stored as written and masked in answers";
      warn({
        code: masked ? "SECRET_MASKED" : "SECRET_DETECTED",
        message: `${count(leaking, "thought")} may hold a secret, first ${first}: ${done}.`,
      });
    },
  };
}
