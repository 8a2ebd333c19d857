import { readFileSync } from "node:fs";

/** The kernel counts in hundredths of a second for programs, whatever it does inside. */
const ticksPerSecond = 100;

/** Processor time of a process and its threads so far, in milliseconds; `undefined` where no kernel tells. */
export const processorTime = (pid: number): number | undefined => readTimes(pid, 11);

/** That of the children of this process that have ended. */
export const processorTimeOfEnded = (): number | undefined => readTimes("self", 13);

function readTimes(pid: number | "self", first: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the program may hold anything but ends with the last bracket.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return ((Number(fields[first]) + Number(fields[first + 1])) / ticksPerSecond) * 1_000;
  } catch {
    return undefined;
  }
}
