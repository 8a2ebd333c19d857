import { readFile } from "node:fs/promises";
import type { CellRunner, SandboxReport } from "../ports/notebook/cell-runner.ts";
import { storageFailure } from "../ports/storage-failures.ts";
import { createCompiler } from "./compile/compiler.ts";
import { installPackages } from "./install/install-packages.ts";
import { cellLimits } from "./limits.ts";
import { openCellDirectory } from "./process/cell-directory.ts";
import { runCell } from "./run-cell.ts";
import { type Chosen, chooseLayer, type SandboxChoice } from "./sandbox/choose-layer.ts";
import { knownFlags } from "./sandbox/node-flags.ts";

export type CellRunnerOptions = {
  /** Holds a directory for each notebook that ran; no cell can write to it. Asked for when it is needed. */
  root(): Promise<string>;
  /** `sandbox/cell.mjs`. */
  cellProgramFile: string;
  choice: SandboxChoice;
  processorSeconds?: number;
};

export function createCellRunner(options: CellRunnerOptions): CellRunner & { hold(): Promise<void> } {
  const { root, cellProgramFile, choice, processorSeconds = cellLimits.processorSeconds } = options;
  const node = process.execPath;
  const flags = knownFlags(process.allowedNodeEnvironmentFlags);
  const compiler = createCompiler();
  let chosen: Promise<Chosen> | undefined;
  let held: string | undefined;
  const probe = () => {
    chosen ??= chooseLayer(choice, node, flags);
    return chosen;
  };

  return {
    sandbox: async () => (await probe()).report,
    async run(request, controls) {
      const { layer, report } = await probe();
      if (!layer) throw noSandbox(report);
      const directory = await openCellDirectory(await root(), request.notebookId);
      const cellProgram = held ?? (await readFile(cellProgramFile, "utf8"));
      const surroundings = { compiler, layer, node, flags, cellProgram, directory, processorSeconds };
      return runCell(request, controls, surroundings);
    },
    async install(request, controls) {
      const { layer, report } = await probe();
      if (!layer) throw noSandbox(report);
      const parent = await root();
      const directory = await openCellDirectory(parent, request.notebookId);
      return installPackages(request, controls, { node, parent, directory });
    },
    /** Reads what cells will need of the package: somebody may upgrade it under a running server. */
    async hold() {
      held = await readFile(cellProgramFile, "utf8").catch(() => undefined);
    },
    close: compiler.close,
  };
}

const noSandbox = ({ lacking, raise }: SandboxReport) => storageFailure("no_sandbox", { lacking, raise });
