import { cellLimits } from "../limits.ts";

type Limits = { processorSeconds: number; openFiles: number };

/**
 * `ulimit` of the shell sets them for the process that takes its place; Node itself cannot. Sizes are in 512 and 1024
 * bytes, as POSIX and custom have it. A limit that a system does not know is passed over.
 */
const script = ({ processorSeconds, openFiles }: Limits): string =>
  [
    "ulimit -c 0",
    `ulimit -S -t ${processorSeconds}`,
    `ulimit -H -t ${processorSeconds + 2}`,
    `ulimit -d ${cellLimits.dataBytes / 1024}`,
    `ulimit -f ${cellLimits.fileBytes / 512}`,
    `ulimit -n ${openFiles}`,
  ]
    .map((line) => `${line} 2>/dev/null || :`)
    .concat('exec "$@"')
    .join("\n");

export function withLimits(
  command: readonly string[],
  { processorSeconds, openFiles }: Limits = cellLimits,
): string[] {
  return ["/bin/sh", "-c", script({ processorSeconds, openFiles }), "sh", ...command];
}
