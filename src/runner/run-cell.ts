import type { RunOptions, RunRequest, RunResult } from "../ports/notebook/cell-runner.ts";
import { compileCells } from "./compile/compile-cells.ts";
import type { Compiler } from "./compile/compiler.ts";
import { cellLimits } from "./limits.ts";
import { writeCellFiles } from "./process/cell-directory.ts";
import { watchDisk } from "./process/disk-watch.ts";
import { explainEnd } from "./process/explain-end.ts";
import { readReport } from "./process/read-report.ts";
import { runContained } from "./process/run-contained.ts";
import type { Layer } from "./sandbox/layer.ts";
import { evaluateArguments, type NodeFlags, permissionArguments } from "./sandbox/node-flags.ts";
import { withLimits } from "./sandbox/resource-limits.ts";

export type Surroundings = {
  compiler: Pick<Compiler, "transform">;
  layer: Layer;
  node: string;
  flags: NodeFlags;
  /** The program of a cell's process, as text. */
  cellProgram: string;
  directory: string;
  processorSeconds: number;
};

/** Displays, a value and an error; a character has three bytes at most. */
const reportBytes =
  3 * (cellLimits.displays * cellLimits.displayCharacters + 2 * cellLimits.valueCharacters) + 2_048;

export async function runCell(
  request: RunRequest,
  { signal, progress }: RunOptions,
  { compiler, layer, node, flags, cellProgram, directory, processorSeconds }: Surroundings,
): Promise<RunResult> {
  const { files, entry, tsconfig, net, timeoutMs } = request;
  const modules = await compileCells(compiler, { files, entry, tsconfig });
  const compiled = Object.hasOwn(modules, entry) ? modules[entry] : undefined;
  if (compiled && "failure" in compiled) return neverStarted(compiled.failure, layer);
  await writeCellFiles(directory, files);
  progress(`running ${entry}`);
  const command = [
    node,
    ...permissionArguments(flags, layer, { directory, net }),
    ...evaluateArguments(cellProgram),
  ];
  const ended = await runContained({
    command: withLimits(layer.wrap(command, { directory, net }), processorSeconds),
    directory,
    env: { HOME: layer.inside(directory) },
    input: JSON.stringify({ directory: layer.inside(directory), entry, modules }),
    timeoutMs,
    reportBytes,
    signal,
    watch: (over) => watchDisk(directory, over),
  });
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

function neverStarted(error: string, { level }: Layer): RunResult {
  const nothing = { output: "", truncated: false, displays: [], exitCode: null, durationMs: 0 };
  return { status: "failed", error, ...nothing, sandbox: level };
}
