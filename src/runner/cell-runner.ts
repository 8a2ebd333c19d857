import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CellRunner } from "../ports/notebook/cell-runner.ts";
import { storageFailure } from "../ports/storage-failures.ts";
import { createCompiler } from "./compile/compile-cells.ts";
import { installPackages } from "./install/install-packages.ts";
import {
  cellLimits,
  installLimits,
  queueLimits,
  type SpareDisk,
  spareDisk as usualSpareDisk,
} from "./limits.ts";
import { openCellDirectory } from "./process/cell-directory.ts";
import { isNearlyFull } from "./process/disk-watch.ts";
import { runCell } from "./run-cell.ts";
import { type Chosen, chooseLayer, type SandboxChoice } from "./sandbox/choose-layer.ts";
import type { Layer } from "./sandbox/layer.ts";
import { chooseNetwork, type Network } from "./sandbox/network.ts";
import { knownFlags, type SandboxPrograms } from "./sandbox/node-flags.ts";

export type CellRunnerOptions = {
  /**
   * The directory that contains a directory per notebook. No cell can write to that directory. Created on
   * demand.
   */
  root(): Promise<string>;
  /** The package's `sandbox` folder. */
  programFolder: string;
  choice: SandboxChoice;
  /** The operator allows network access for cells. A notebook must also request network access. */
  net?: boolean;
  processorSeconds?: number;
  spareDisk?: SpareDisk;
};

export function createCellRunner(options: CellRunnerOptions): CellRunner & { hold(): Promise<void> } {
  const { root, programFolder, choice, processorSeconds = cellLimits.processorSeconds } = options;
  const { spareDisk = usualSpareDisk } = options;
  const node = process.execPath;
  const flags = knownFlags(process.allowedNodeEnvironmentFlags);
  const compiler = createCompiler();
  const enter = createPlaces();
  let chosen: Promise<Chosen> | undefined;
  let network: Promise<Network> | undefined;
  let held: SandboxPrograms | undefined;
  const programs = async () => held ?? (await readPrograms(programFolder));
  const choose = async () => {
    chosen ??= programs().then(({ lockdown }) => chooseLayer(choice, node, flags, lockdown));
    return chosen;
  };
  const open = async (notebookId: string) => {
    const { layer, report } = await choose();
    if (!layer) throw storageFailure("no_sandbox", { lacking: report.lacking, raise: report.raise });
    const parent = await root();
    if (await isNearlyFull(parent, spareDisk))
      throw storageFailure("store_failed", { trouble: "disk_nearly_full" });
    return { layer, parent, directory: await openCellDirectory(parent, notebookId) };
  };

  const networkFor = async (layer: Layer) => {
    if (!options.net) throw storageFailure("no_network", { reason: undefined });
    network ??= programs().then(({ lockdown }) => chooseNetwork(layer, node, { flags, lockdown }));
    const found = await network;
    if ("reason" in found) throw storageFailure("no_network", found);
    return found.command;
  };

  return {
    enter,
    sandbox: async () => (await choose()).report,
    async run(request, controls) {
      const { layer, directory } = await open(request.notebookId);
      const network = request.net ? await networkFor(layer) : undefined;
      const surroundings = { compiler, layer, node, flags, programs: await programs(), directory };
      return runCell(request, controls, { ...surroundings, network, processorSeconds, spareDisk });
    },
    async install(request, controls) {
      const { layer, parent, directory } = await open(request.notebookId);
      const surroundings = { node, layer, parent, directory, most: installLimits, spareDisk };
      return installPackages(request, controls, surroundings);
    },
    /**
     * Loads the package's files that cells need, because the package may be upgraded while the server is
     * running.
     */
    async hold() {
      held = await readPrograms(programFolder).catch(() => undefined);
    },
    close: compiler.close,
  };
}

/** Limits how many runs may wait, because each run uses memory even while it waits. */
function createPlaces(): CellRunner["enter"] {
  const taken = new Map<unknown, number>();
  let total = 0;
  return (caller) => {
    const own = taken.get(caller) ?? 0;
    if (own >= queueLimits.perCaller || total >= queueLimits.inAll) return undefined;
    taken.set(caller, own + 1);
    total += 1;
    return () => {
      const left = (taken.get(caller) ?? 1) - 1;
      if (left === 0) taken.delete(caller);
      else taken.set(caller, left);
      total -= 1;
    };
  };
}

async function readPrograms(folder: string): Promise<SandboxPrograms> {
  const [lockdown, cell] = await Promise.all(
    ["lockdown.mjs", "cell.mjs"].map((name) => readFile(join(folder, name), "utf8")),
  );
  return { lockdown: lockdown ?? "", cell: cell ?? "" };
}
