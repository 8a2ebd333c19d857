import { constants } from "node:os";
import type { RunLimit } from "../../ports/notebook/cell-runner.ts";
import { cellLimits } from "../limits.ts";
import type { Ended } from "./run-contained.ts";

type Explanation = { stoppedBy: RunLimit | undefined; error: string | undefined };

type Allowed = { timeoutMs: number; processorSeconds: number };

const sentences: Record<RunLimit, (allowed: Allowed) => string> = {
  time: ({ timeoutMs }) => `The cell did not end within ${timeoutMs / 1000} s and was ended.`,
  processor: ({ processorSeconds }) =>
    `The cell used more than ${processorSeconds} s of processor time and was ended.`,
  memory: () =>
    `The cell used more memory than a cell may (${cellLimits.heapMebibytes} MiB of heap, ${cellLimits.dataBytes / 1024 / 1024} MiB in all) and ended.`,
  disk: () =>
    `The cell wrote more than ${cellLimits.filesBytes / 1024 / 1024} MiB or ${cellLimits.filesEntries} files, or the disk is nearly full, and was ended.`,
  cancelled: () => "The run was cancelled.",
};

/** Why a process ended as it did, where it did not say so itself. */
export function explainEnd(ended: Ended, allowed: Allowed): Explanation {
  const { exitCode, stoppedBy, complaints } = ended;
  if (stoppedBy !== undefined) return { stoppedBy, error: sentences[stoppedBy](allowed) };
  if (exitCode === 0) return { stoppedBy: undefined, error: undefined };
  const limit = limitReached(ended);
  if (limit !== undefined) return { stoppedBy: limit, error: sentences[limit](allowed) };
  const signal = signalOf(ended);
  if (signal !== undefined) {
    const said = complaints.trim().slice(0, 500);
    return { stoppedBy: undefined, error: `The process was ended by ${signal}.${said && ` ${said}`}` };
  }
  if (exitCode === 13) return { stoppedBy: undefined, error: "An await at the top level was never settled." };
  const said = complaints.trim().slice(0, 1_000);
  return { stoppedBy: undefined, error: `The process ended with code ${exitCode}.${said && `\n${said}`}` };
}

function limitReached(ended: Ended): "processor" | "memory" | undefined {
  if (/heap out of memory|Allocation failed|bad_alloc|Cannot allocate memory/i.test(ended.complaints))
    return "memory";
  return signalOf(ended) === "SIGXCPU" ? "processor" : undefined;
}

/** What runs a process inside a sandbox passes its end by a signal on as 128 and the number of that. */
function signalOf({ exitCode, signal }: Ended): string | undefined {
  if (signal !== null) return signal;
  if (exitCode === null || exitCode <= 128) return undefined;
  return Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
}
