import { readFileSync } from "node:fs";

/** The kernel reports processor times in hundredths of a second, whatever its internal clock. */
const ticksPerSecond = 100;

/**
 * Returns the processor time of a process and its threads so far, in milliseconds. Returns `undefined` if the
 * kernel does not report that time.
 */
export const processorTime = (pid: number): number | undefined => readTimes(pid, 11);

/** Returns the processor time of this process's children that have exited. */
export const processorTimeOfEnded = (): number | undefined => readTimes("self", 13);

function readTimes(pid: number | "self", first: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The program's name can contain any character, but the name ends at the last bracket.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return ((Number(fields[first]) + Number(fields[first + 1])) / ticksPerSecond) * 1_000;
  } catch {
    return undefined;
  }
}
