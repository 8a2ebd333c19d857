import { constants } from "node:os";
import { join } from "node:path";
import {
  type Display,
  displayMimes,
  type RunLimit,
  type RunOptions,
  type RunRequest,
  type RunResult,
} from "../ports/notebook/cell-runner.ts";
import { type Compiler, compileCells } from "./compile/compile-cells.ts";
import { cellLimits, type SpareDisk } from "./limits.ts";
import { filesFolder, writeCellFiles } from "./process/cell-directory.ts";
import {
  hasTooManyInodes,
  holdsTooMuch,
  isNearlyFull,
  removeExcess,
  watchDisk,
} from "./process/disk-watch.ts";
import { type Ended, runContained } from "./process/run-contained.ts";
import { createTakeBack, type TakeBack } from "./process/take-back.ts";
import { type Layer, withLimits } from "./sandbox/layer.ts";
import {
  evaluateArguments,
  type NodeFlags,
  permissionArguments,
  type SandboxPrograms,
} from "./sandbox/node-flags.ts";

export type Surroundings = {
  compiler: Pick<Compiler, "transform">;
  layer: Layer;
  node: string;
  flags: NodeFlags;
  programs: SandboxPrograms;
  directory: string;
  processorSeconds: number;
  spareDisk: SpareDisk;
  /** The command that gives the cell its own network. */
  network: readonly string[] | undefined;
};

const scratch = { folder: filesFolder, bytes: cellLimits.filesBytes, entries: cellLimits.filesEntries };

/** The size of a report with all displays, a value and an error. A UTF-16 unit takes at most three bytes. */
const reportBytes =
  3 * (cellLimits.displays * cellLimits.displayCharacters + 2 * cellLimits.valueCharacters) + 2_048;

type Explanation = { stoppedBy: RunLimit | undefined; error: string | undefined };

type Allowed = { timeoutMs: number; processorSeconds: number };

const sentences: Record<RunLimit, (allowed: Allowed) => string> = {
  time: ({ timeoutMs }) => `The cell did not finish within ${timeoutMs / 1000} s and was stopped.`,
  processor: ({ processorSeconds }) =>
    `The cell used more than ${processorSeconds} s of CPU time and was stopped.`,
  memory: () =>
    `The cell used more memory than allowed (${cellLimits.heapMebibytes} MiB of heap, ${cellLimits.dataBytes / 1024 / 1024} MiB in all) and was stopped.`,
  disk: () =>
    `The cell wrote more than ${cellLimits.filesBytes / 1024 / 1024} MiB or ${cellLimits.filesEntries} files, or the disk is nearly full. It was stopped.`,
  cancelled: () => "The run was cancelled.",
};

/** Explains why a process ended, if it did not report that itself. */
function explainEnd(ended: Ended, allowed: Allowed): Explanation {
  const { exitCode, stoppedBy, complaints } = ended;
  if (stoppedBy !== undefined) return { stoppedBy, error: sentences[stoppedBy](allowed) };
  if (exitCode === 0) return { stoppedBy: undefined, error: undefined };
  const limit = limitReached(ended);
  if (limit !== undefined) return { stoppedBy: limit, error: sentences[limit](allowed) };
  const signal = signalOf(ended);
  if (signal !== undefined) {
    const said = complaints.trim().slice(0, 500);
    return { stoppedBy: undefined, error: `The process was killed by ${signal}.${said && ` ${said}`}` };
  }
  if (exitCode === 13) return { stoppedBy: undefined, error: "A top-level await never settled." };
  const said = complaints.trim().slice(0, 1_000);
  return { stoppedBy: undefined, error: `The process exited with code ${exitCode}.${said && `\n${said}`}` };
}

function limitReached(ended: Ended): "processor" | "memory" | undefined {
  if (/heap out of memory|Allocation failed|bad_alloc|Cannot allocate memory/i.test(ended.complaints))
    return "memory";
  return signalOf(ended) === "SIGXCPU" ? "processor" : undefined;
}

/** Returns the signal that ended the cell. The sandbox program then exits with 128 plus its number. */
function signalOf({ exitCode, signal }: Ended): string | undefined {
  if (signal !== null) return signal;
  if (exitCode === null || exitCode <= 128) return undefined;
  return Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
}

type CellReport = { displays: Display[]; value?: string; error?: string };

/** The maximum number of messages in a report: all displays, a value and an error. */
const mostMessages = cellLimits.displays + 2;
const longestHead = 64;

/**
 * Reads the report of a cell's process. Each message is a line such as `text/html 17`, followed by that many bytes. The
 * cell can write anything to the report, so contents are not parsed, and reading stops at the first invalid message.
 */
export function readReport(bytes: Buffer): CellReport {
  const report: CellReport = { displays: [] };
  let at = 0;
  for (let read = 0; read < mostMessages; read += 1) {
    const message = messageAt(bytes, at);
    if (!message) break;
    at = message.end;
    take(report, message);
  }
  return report;
}

type Message = { kind: string; text: string; end: number };

function messageAt(bytes: Buffer, at: number): Message | undefined {
  const head = /^([a-z/+]+) (\d{1,9})\n/.exec(bytes.toString("latin1", at, at + longestHead));
  if (!head) return undefined;
  const start = at + head[0].length;
  const end = start + Number(head[2]);
  return end > bytes.length
    ? undefined
    : { kind: head[1] ?? "", text: bytes.toString("utf8", start, end), end };
}

function take(report: CellReport, { kind, text }: Message): void {
  if (kind === "value") report.value = text.slice(0, cellLimits.valueCharacters);
  if (kind === "error") report.error ??= text.slice(0, cellLimits.valueCharacters);
  const mime = displayMimes.find((known) => known === kind);
  if (mime === undefined || report.displays.length >= cellLimits.displays) return;
  if (text.length <= cellLimits.displayCharacters) report.displays.push({ mime, data: text });
}

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
          (takeBack
            ? await hasTooManyInodes(pid, [inside, "/tmp"], scratch.entries)
            : await holdsTooMuch(folder, pid, scratch)) || (await isNearlyFull(directory, spareDisk)),
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

/** Keeps the files that a cell wrote. If the run was stopped, the notebook's files stay unchanged. */
async function keepFiles(takeBack: TakeBack, ended: Ended): Promise<void> {
  const arrival = await takeBack.finish(ended.stoppedBy === undefined);
  if (ended.stoppedBy !== undefined || arrival === "whole") return;
  if (arrival === "too much") ended.stoppedBy = "disk";
  else
    ended.complaints +=
      "\nThe files that the cell wrote could not be read. The notebook's files did not change.";
}

function neverStarted(error: string, { level }: Layer): RunResult {
  const nothing = { output: "", truncated: false, displays: [], exitCode: null, durationMs: 0 };
  return { status: "failed", error, ...nothing, sandbox: level };
}
