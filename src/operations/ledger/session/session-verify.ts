import * as z from "zod";
import { findCritiqueFault } from "../../../domain/ledger/chain/critique-chain.ts";
import { createChainVerifier } from "../../../domain/ledger/chain/hash-chain.ts";
import { runInTurns } from "../../../kernel/steps.ts";
import type { IntegrityValidationResult } from "../../../ports/tree.ts";
import type { OperationContext } from "../../pipeline/context.ts";
import { defineOperation } from "../../pipeline/define.ts";

const pageSize = 1_000;
/** The maximum number of problems listed. */
const listed = 100;

export const sessionVerify = defineOperation({
  name: "session.verify",
  family: "ledger",
  title: "Verify a session",
  summary:
    "Recomputes the hash chain of a session, compares its JSON files, and reports what was changed or lost.",
  toolset: "full",
  stage: "init_complete",
  effect: "read",
  scope: "session",
  input: {
    files: z
      .boolean()
      .optional()
      .describe("Compare the JSON files too. false checks only the hash chain. Default: true."),
  },
  output: z.strictObject({
    sessionId: z.string(),
    valid: z.boolean(),
    sessionExists: z.boolean(),
    manifestExists: z.boolean().optional(),
    manifestValid: z.boolean().optional(),
    missingThoughtFiles: z.array(z.string()).optional(),
    missingBranchFiles: z.record(z.string(), z.array(z.string())).optional(),
    errors: z.array(z.string()),
    truncated: z.literal(true).optional(),
    chain: z.strictObject({
      valid: z.boolean(),
      length: z.int(),
      verified: z.int(),
      headHash: z.string(),
      firstBad: z.strictObject({ position: z.int(), thought: z.string(), problem: z.string() }).optional(),
    }),
  }),
  errors: ["SESSION_NOT_FOUND", "STORAGE_ERROR"],
  examples: [
    { title: "a whole session", given: "a session with a branch", input: { sessionId: "$session" } },
  ],

  async handle({ files: withFiles = true }, context) {
    const sessionId = context.callerState.sessionId;
    const chain = await verifyChain(context, sessionId);
    const files = withFiles ? await context.tree?.verify(sessionId, context.signal) : undefined;
    if (files && files.pendingFiles > 0) {
      context.warn({
        code: "FILES_PENDING",
        message: `${files.pendingFiles} JSON files for this session have not been written yet. Its thoughts are safe.`,
      });
    }
    const { firstBad } = chain;
    const broken = firstBad && {
      error: `Thought ${firstBad.thought || `at position ${firstBad.position}`}: ${firstBad.problem}`,
    };
    const critiques = await context.ledger.readCritiqueChain(sessionId);
    const critiqueFault = await runInTurns(findCritiqueFault(critiques), context.signal);
    const errors = [
      ...(broken ? [broken.error] : []),
      ...(critiqueFault === undefined ? [] : [critiqueFault]),
      ...(files?.errors ?? []),
    ];
    return {
      sessionId,
      valid: chain.valid && critiqueFault === undefined && (files?.valid ?? true),
      sessionExists: true,
      ...(files && shorten(files)),
      errors: errors.slice(0, listed),
      ...(errors.length > listed && { truncated: true as const }),
      chain,
    };
  },
});

async function verifyChain({ ledger, progress, signal }: OperationContext, sessionId: string) {
  const verifier = createChainVerifier(sessionId);
  const readHead = async () => (await ledger.readHead(sessionId)) ?? { length: 0, hash: "" };
  let head = await readHead();
  let after = 0;
  for (;;) {
    signal.throwIfAborted();
    const page = await ledger.readEntries(sessionId, after, pageSize);
    const intact = page.every((entry) => verifier.check(entry));
    after = page.at(-1)?.position ?? after;
    const lost = page.length === 0 && after < head.length;
    // Thoughts may be appended during the check, so the head is read after the entries.
    head = await readHead();
    if (!intact || lost || after >= head.length) break;
    progress(after, head.length, "verifying the chain");
    await new Promise(setImmediate);
  }
  const firstBad = verifier.finish(head);
  return {
    valid: !firstBad,
    length: head.length,
    verified: verifier.verified,
    headHash: head.hash,
    ...(firstBad && { firstBad }),
  };
}

function shorten({
  valid: _valid,
  errors: _errors,
  pendingFiles: _pending,
  ...files
}: IntegrityValidationResult) {
  return {
    ...files,
    missingThoughtFiles: files.missingThoughtFiles.slice(0, listed),
    missingBranchFiles: Object.fromEntries(
      Object.entries(files.missingBranchFiles)
        .slice(0, listed)
        .map(([branchId, names]) => [branchId, names.slice(0, listed)]),
    ),
  };
}
