import { manifestName } from "../../../domain/ledger/tree/layout.ts";
import type { IntegrityValidationResult } from "../../../ports/tree.ts";
import type { ManifestState } from "../import/judge-manifest.ts";
import type { Comparison } from "./compare-session.ts";

const manifestProblems: Partial<Record<ManifestState, string>> = {
  missing: "is missing",
  damaged: "was changed or damaged",
  outdated: "does not say what the store says of this session",
};

/** A comparison in the words of the seeds' IntegrityValidationResult. */
export function toIntegrityResult(comparison: Comparison | undefined): IntegrityValidationResult {
  if (!comparison) return { ...nothing, errors: ["The store holds no such session."] };
  const { folderExists, manifestExists, manifest } = comparison;
  const pending = comparison.differences.filter(({ kind }) => kind === "pending");
  const wrong = comparison.differences.filter(({ kind }) => kind !== "pending");
  const missing = wrong.filter(({ kind }) => kind === "missing").map(({ path }) => path);
  const manifestProblem = manifestProblems[manifest];
  const errors = [
    ...(folderExists || manifest === "pending" ? [] : ["The session has no folder."]),
    ...(manifestProblem === undefined ? [] : [`${manifestName} ${manifestProblem}.`]),
    ...wrong.map(({ path, problem }) => `${path} ${problem}.`),
  ];
  return {
    valid: errors.length === 0,
    sessionExists: folderExists,
    manifestExists,
    manifestValid: manifest === "good",
    missingThoughtFiles: missing.filter((path) => !path.includes("/")),
    missingBranchFiles: byBranch(missing),
    pendingFiles: pending.length + (manifest === "pending" ? 1 : 0),
    errors,
  };
}

const nothing: IntegrityValidationResult = {
  valid: false,
  sessionExists: false,
  manifestExists: false,
  manifestValid: false,
  missingThoughtFiles: [],
  missingBranchFiles: {},
  pendingFiles: 0,
  errors: [],
};

function byBranch(paths: readonly string[]): Record<string, string[]> {
  const branches = new Map<string, string[]>();
  for (const path of paths) {
    const [, branchId, name] = path.split("/");
    if (branchId === undefined || name === undefined) continue;
    branches.set(branchId, [...(branches.get(branchId) ?? []), name]);
  }
  return Object.fromEntries(branches);
}
