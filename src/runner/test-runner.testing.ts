import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CellRunner, RunResult } from "../ports/notebook/cell-runner.ts";
import { type CellRunnerOptions, createCellRunner } from "./cell-runner.ts";
import { filesFolder } from "./process/cell-directory.ts";
import type { SandboxChoice } from "./sandbox/choose-layer.ts";

const programFolder = join(import.meta.dirname, "..", "..", "sandbox");

export type TestRunner = {
  runner: CellRunner;
  root: string;
  notebookId: string;
  /** The path of the notebook's directory, outside the sandbox. */
  directory: string;
  /** The folder with its cells' files. */
  files: string;
  /** Runs the first of these files. A plain string is the text of `main.ts`. */
  run(sources: string | Record<string, string>, options?: Partial<RunChoice>): Promise<RunResult>;
  close(): Promise<void>;
};

type RunChoice = { net: boolean; timeoutMs: number; signal: AbortSignal; tsconfig: string };

export function createTestRunner(
  choice: SandboxChoice,
  options: Partial<CellRunnerOptions> = {},
): TestRunner {
  const root = mkdtempSync(join(tmpdir(), "thoughtbox-cells-"));
  const notebookId = randomUUID();
  const directory = join(root, notebookId);
  const files = join(directory, filesFolder);
  mkdirSync(files, { recursive: true, mode: 0o700 });
  const runner = createCellRunner({
    root: async () => root,
    programFolder,
    choice,
    ...options,
  });
  return {
    runner,
    root,
    notebookId,
    directory,
    files,
    run(sources, { net = false, timeoutMs = 20_000, signal, tsconfig } = {}) {
      const named = typeof sources === "string" ? { "main.ts": sources } : sources;
      return runner.run(
        {
          notebookId,
          files: Object.entries(named).map(([filename, source]) => ({ filename, source })),
          entry: Object.keys(named)[0] ?? "",
          ...(tsconfig !== undefined && { tsconfig }),
          net,
          timeoutMs,
        },
        { signal: signal ?? new AbortController().signal, progress: () => {} },
      );
    },
    async close() {
      await runner.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
