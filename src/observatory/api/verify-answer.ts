import type { VerifyAnswer } from "../wire.ts";
import type { SessionSource } from "./session-answers.ts";

type Verified = {
  chain: { valid: boolean; firstBad?: { position: number; problem: string } };
  errors: string[];
};

/** The hash chain alone: comparing the JSON files of a long session takes too long for a page that is being opened. */
export async function answerVerify(
  { ask, mask }: Pick<SessionSource, "ask" | "mask">,
  sessionId: string,
): Promise<VerifyAnswer> {
  const { chain, errors } = (await ask("session.verify", { sessionId, files: false })) as Verified;
  return {
    valid: chain.valid,
    ...(chain.firstBad && {
      firstBad: { position: chain.firstBad.position, problem: mask(chain.firstBad.problem) },
    }),
    errors: errors.map(mask),
  };
}
