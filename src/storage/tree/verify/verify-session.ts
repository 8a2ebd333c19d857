import { manifestName } from "../../../domain/ledger/tree/layout.ts";
import type { IntegrityValidationResult } from "../../../ports/tree.ts";
import type { Comparison, Difference, ManifestState } from "./compare-session.ts";

const manifestProblems: Partial<Record<ManifestState, string>> = {
  missing: "is missing",
  damaged: "was changed or damaged",
  outdated: "differs from the store's data for this session",
};

/** The maximum number of listed problems. A thousand are enough to show that a session is damaged. */
const listed = 1_000;

/** Collects differences in the shape of an `IntegrityValidationResult`. */
export function createIntegrityReport() {
  const errors = { wrong: [] as string[], foreign: [] as string[] };
  const missingThoughtFiles: string[] = [];
  const missingBranchFiles: Record<string, string[]> = {};
  let missing = 0;
  let pendingFiles = 0;

  /**
   * Adds a missing thought to its list. Thoughts on a branch are in `branches/{branchId}/`, and the others
   * directly in the folder.
   */
  function noteMissing(path: string): void {
    missing += 1;
    if (missing > listed) return;
    const [first = "", branchId, name] = path.split("/");
    if (branchId === undefined) missingThoughtFiles.push(first);
    else if (name !== undefined) {
      missingBranchFiles[branchId] ??= [];
      missingBranchFiles[branchId].push(name);
    }
  }

  return {
    note({ kind, path, problem }: Difference): void {
      if (kind === "pending") {
        pendingFiles += 1;
        return;
      }
      if (kind === "missing") noteMissing(path);
      const list = kind === "foreign" ? errors.foreign : errors.wrong;
      if (list.length < listed) list.push(`${path} ${problem}.`);
    },
    conclude(comparison: Comparison | undefined): IntegrityValidationResult {
      if (!comparison) return { ...nothing, errors: ["The store has no such session."] };
      const { folderExists, manifestExists, manifest } = comparison;
      const manifestProblem = manifestProblems[manifest];
      const all = [
        ...(folderExists || manifest === "pending" ? [] : ["The session has no folder."]),
        ...(manifestProblem === undefined ? [] : [`${manifestName} ${manifestProblem}.`]),
        ...errors.wrong,
        ...errors.foreign,
      ];
      return {
        valid: all.length === 0,
        sessionExists: folderExists,
        manifestExists,
        manifestValid: manifest === "good",
        missingThoughtFiles,
        missingBranchFiles,
        pendingFiles: pendingFiles + (manifest === "pending" ? 1 : 0),
        errors: all.slice(0, listed),
      };
    },
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
