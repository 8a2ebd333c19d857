import { branchIdPattern } from "../../../domain/ledger/limits.ts";
import type { LedgerStore } from "../../../ports/ledger-store.ts";
import type { Repository } from "../../../ports/repository.ts";
import { typeOfThought } from "../../session/session-columns.ts";
import type { Mask } from "../../session/to-wire.ts";
import type { FileReason, FileReasons, ReasonsAnswer } from "../../wire-files.ts";
import { type Ask, wholeAnswer } from "../answer.ts";

export type WhySource = {
  /** Calls operations in the repository's project. */
  askHere: Ask;
  ledger: Pick<LedgerStore, "readThoughts">;
  /** The repository that the server was started in. */
  openRepository(): Promise<Repository | undefined>;
  mask: Mask;
};

/** Explains why lines exist, now or in a commit. Adds the type and time of each thought to `asked` and `because`. */
export async function explain(
  source: Pick<WhySource, "askHere" | "ledger">,
  file: string,
  lines: { line: number; to?: number; commit?: string | undefined },
): Promise<ReasonsAnswer> {
  const found = (await source.askHere("why", { file, ...lines, ...wholeAnswer })) as unknown as ReasonsAnswer;
  const answers = found.answers.map(async (one): Promise<FileReasons> => {
    const [asked, because] = await Promise.all(
      [one.asked, one.because].map((reason) => reason && describeReason(source, reason)),
    );
    return { ...one, ...(asked && { asked }), ...(because && { because }) };
  });
  return { ...found, answers: await Promise.all(answers) };
}

/** Adds the type and time of the thought. The thought's ID is `session:3` or `session:branch:3`. */
async function describeReason(
  { ledger }: Pick<WhySource, "ledger">,
  reason: FileReason,
): Promise<FileReason> {
  const [sessionId = "", ...rest] = reason.thought.split(":");
  const [thoughtNumber, branchId] = [Number(rest.at(-1)), rest.slice(0, -1).join(":") || undefined];
  if (branchId !== undefined && !branchIdPattern.test(branchId)) return reason;
  const [thought] = await ledger.readThoughts(sessionId, { select: "one", thoughtNumber, branchId });
  return thought ? { ...reason, type: typeOfThought(thought.data), at: thought.data.timestamp } : reason;
}
