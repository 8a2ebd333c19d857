import { join } from "node:path";
import type { RunOptions, RunRequest, RunResult } from "../ports/notebook/cell-runner.ts";
import { compileCells } from "./compile/compile-cells.ts";
import type { Compiler } from "./compile/compiler.ts";
import { cellLimits, type SpareDisk } from "./limits.ts";
import { filesFolder, writeCellFiles } from "./process/cell-directory.ts";
import { holdsTooMuch, isNearlyFull, removeExcess, watchDisk } from "./process/disk-watch.ts";
import { explainEnd } from "./process/explain-end.ts";
import { readReport } from "./process/read-report.ts";
import { type Ended, runContained } from "./process/run-contained.ts";
import { createTakeBack, type TakeBack } from "./process/take-back.ts";
import type { Layer } from "./sandbox/layer.ts";
import {
  evaluateArguments,
  type NodeFlags,
  permissionArguments,
  type SandboxPrograms,
} from "./sandbox/node-flags.ts";
import { withLimits } from "./sandbox/resource-limits.ts";

export type Surroundings = {
  compiler: Pick<Compiler, "transform">;
  layer: Layer;
  node: string;
  flags: NodeFlags;
  programs: SandboxPrograms;
  directory: string;
  processorSeconds: number;
  spareDisk: SpareDisk;
  /** Gives the cell a network of its own. */
  network: readonly string[] | undefined;
};

const scratch = { folder: filesFolder, bytes: cellLimits.filesBytes, entries: cellLimits.filesEntries };

/** Displays, a value and an error; a character has three bytes at most. */
const reportBytes =
  3 * (cellLimits.displays * cellLimits.displayCharacters + 2 * cellLimits.valueCharacters) + 2_048;

export async function runCell(
  request: RunRequest,
  { signal, progress }: RunOptions,
  { compiler, layer, node, flags, programs, directory, processorSeconds, spareDisk, network }: Surroundings,
): Promise<RunResult> {
  const { files, entry, tsconfig, timeoutMs } = request;
  const modules = await compileCells(compiler, { files, entry, tsconfig });
  const compiled = Object.hasOwn(modules, entry) ? modules[entry] : undefined;
  if (compiled && "failure" in compiled) return neverStarted(compiled.failure, layer);
  const folder = join(directory, filesFolder);
  await writeCellFiles(folder, files);
  progress(`running ${entry}`);
  const enclosure = { directory, scratch, readable: [], network };
  const command = [
    node,
    ...permissionArguments(flags, layer, enclosure),
    ...evaluateArguments(programs.cell, programs, layer, enclosure),
  ];
  const takeBack = layer.hasMounts ? createTakeBack(directory, scratch) : undefined;
  const inside = join(layer.inside(directory), filesFolder);
  const ended = await runContained({
    command: withLimits(layer.wrap(command, enclosure), { ...cellLimits, processorSeconds }),
    directory: folder,
    env: { HOME: inside },
    input: JSON.stringify({ directory: inside, entry, modules }),
    timeoutMs,
    reportBytes,
    signal,
    ...(takeBack && { onArchive: takeBack.receive }),
    watch: (over, pid) =>
      watchDisk(
        async () =>
          (!takeBack && (await holdsTooMuch(folder, pid, scratch))) ||
          (await isNearlyFull(directory, spareDisk)),
        over,
      ),
  });
  if (takeBack) await keepFiles(takeBack, ended);
  else if (await holdsTooMuch(folder, undefined, scratch)) {
    await removeExcess(folder, scratch);
    ended.stoppedBy ??= "disk";
  }
  const { displays, value, error } = readReport(ended.report);
  const explained = explainEnd(ended, { timeoutMs, processorSeconds });
  const failure = explained.stoppedBy === undefined ? (error ?? explained.error) : explained.error;
  return {
    status: failure === undefined ? "completed" : "failed",
    output: ended.output,
    truncated: ended.truncated,
    ...(failure !== undefined && { error: failure }),
    ...(value !== undefined && { value }),
    displays,
    exitCode: ended.exitCode,
    ...(explained.stoppedBy !== undefined && { stoppedBy: explained.stoppedBy }),
    durationMs: ended.durationMs,
    sandbox: layer.level,
  };
}

/** A run that had to be ended changes no file. */
async function keepFiles(takeBack: TakeBack, ended: Ended): Promise<void> {
  const arrival = await takeBack.finish(ended.stoppedBy === undefined);
  if (ended.stoppedBy !== undefined || arrival === "whole") return;
  if (arrival === "too much") ended.stoppedBy = "disk";
  else ended.complaints += "\nThe files that the cell wrote did not come back: they are as they were before.";
}

function neverStarted(error: string, { level }: Layer): RunResult {
  const nothing = { output: "", truncated: false, displays: [], exitCode: null, durationMs: 0 };
  return { status: "failed", error, ...nothing, sandbox: level };
}
