import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CellRunner, RunResult } from "../ports/notebook/cell-runner.ts";
import { createCellRunner } from "./cell-runner.ts";
import type { SandboxChoice } from "./sandbox/choose-layer.ts";

export const cellProgramFile = join(import.meta.dirname, "..", "..", "sandbox", "cell.mjs");

export type TestRunner = {
  runner: CellRunner;
  root: string;
  notebookId: string;
  /** The directory of the notebook's cells, from outside. */
  directory: string;
  /** Runs the first of these files; a bare text is `main.ts`. */
  run(files: string | Record<string, string>, options?: Partial<RunChoice>): Promise<RunResult>;
  close(): Promise<void>;
};

type RunChoice = { net: boolean; timeoutMs: number; signal: AbortSignal; tsconfig: string };

export function createTestRunner(choice: SandboxChoice, processorSeconds?: number): TestRunner {
  const root = mkdtempSync(join(tmpdir(), "thoughtbox-cells-"));
  const notebookId = randomUUID();
  const directory = join(root, notebookId);
  mkdirSync(directory, { mode: 0o700 });
  const runner = createCellRunner({
    root: async () => root,
    cellProgramFile,
    choice,
    ...(processorSeconds !== undefined && { processorSeconds }),
  });
  return {
    runner,
    root,
    notebookId,
    directory,
    run(files, { net = false, timeoutMs = 20_000, signal, tsconfig } = {}) {
      const named = typeof files === "string" ? { "main.ts": files } : files;
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
