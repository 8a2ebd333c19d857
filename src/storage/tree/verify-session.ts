import { describeAddress } from "../../domain/ledger/address.ts";
import { manifestName, thoughtFileName } from "../../domain/ledger/tree/layout.ts";
import type { IntegrityValidationResult } from "../../ports/tree.ts";
import type { Comparison } from "./compare-session.ts";

const manifestProblems: Partial<Record<Comparison["manifest"], string>> = {
  missing: "is missing",
  damaged: "was changed or damaged",
  outdated: "does not say what the store says of this session",
};

/** A comparison in the words of the seeds' IntegrityValidationResult. */
export function toIntegrityResult(comparison: Comparison | undefined): IntegrityValidationResult {
  const { folderExists = false, manifest = "missing" } = comparison ?? {};
  const pending = comparison?.differences.filter(({ kind }) => kind === "pending") ?? [];
  const differences = comparison?.differences.filter(({ kind }) => kind !== "pending") ?? [];
  const manifestProblem = comparison && manifestProblems[manifest];
  const missing = differences.flatMap((found) => (found.kind === "missing" ? [found.entry.data] : []));
  const missingBranchFiles: Record<string, string[]> = {};
  for (const { branchId, thoughtNumber } of missing) {
    if (branchId === undefined) continue;
    missingBranchFiles[branchId] = [...(missingBranchFiles[branchId] ?? []), thoughtFileName(thoughtNumber)];
  }
  const errors = [
    ...(comparison ? [] : ["The store holds no such session."]),
    ...(comparison && !folderExists && manifest !== "pending" ? ["The session has no folder."] : []),
    ...(manifestProblem === undefined ? [] : [`${manifestName} ${manifestProblem}.`]),
    ...differences.map((found) =>
      "entry" in found
        ? `${found.path} (${describeAddress(found.entry.data)}) ${found.problem}.`
        : `${found.path} ${found.problem}.`,
    ),
  ];
  return {
    valid: errors.length === 0,
    sessionExists: folderExists,
    manifestExists: comparison?.manifestExists ?? false,
    manifestValid: manifest === "good",
    pendingFiles: pending.length + (manifest === "pending" ? 1 : 0),
    missingThoughtFiles: missing.flatMap(({ branchId, thoughtNumber }) =>
      branchId === undefined ? [thoughtFileName(thoughtNumber)] : [],
    ),
    missingBranchFiles,
    errors,
  };
}
