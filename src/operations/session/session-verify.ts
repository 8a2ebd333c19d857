import * as z from "zod";
import { createChainVerifier } from "../../domain/ledger/hash-chain.ts";
import { defineOperation } from "../define.ts";

const pageSize = 1_000;

export const sessionVerify = defineOperation({
  name: "session.verify",
  family: "ledger",
  title: "Verify a session",
  summary:
    "Recomputes the hash chain of a session and names the first thought that was changed, moved or lost.",
  toolset: "full",
  stage: "init_complete",
  effect: "read",
  session: "required",
  input: {},
  output: z.strictObject({
    sessionId: z.string(),
    valid: z.boolean(),
    sessionExists: z.boolean(),
    errors: z.array(z.string()),
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

  async handle(_input, { handle, ledger, progress, signal }) {
    const sessionId = handle.sessionId ?? "";
    const head = (await ledger.readHead(sessionId)) ?? { length: 0, hash: "" };
    const verifier = createChainVerifier(sessionId);
    let after = 0;
    for (;;) {
      signal.throwIfAborted();
      const page = await ledger.readEntries(sessionId, after, pageSize);
      const intact = page
        .filter(({ position }) => position <= head.length)
        .every((entry) => verifier.check(entry));
      after = page.at(-1)?.position ?? after;
      if (!intact || page.length < pageSize) break;
      progress(after, head.length, "verifying the chain");
      await new Promise(setImmediate);
    }
    const firstBad = verifier.finish(head);
    return {
      sessionId,
      valid: !firstBad,
      sessionExists: true,
      errors: firstBad
        ? [`Thought ${firstBad.thought || `at position ${firstBad.position}`}: ${firstBad.problem}`]
        : [],
      chain: {
        valid: !firstBad,
        length: head.length,
        verified: verifier.verified,
        headHash: head.hash,
        ...(firstBad && { firstBad }),
      },
    };
  },
});
