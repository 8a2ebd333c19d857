type Ran = {
  state: "idle" | "queued" | "running" | "completed" | "failed" | "stale" | "interrupted";
  exitCode?: number | null | undefined;
  stoppedBy?: string | undefined;
};
export type CellLook = { icon?: "check" | "close" | "stale" | "stop"; words: string; look: string };

/** Describes the state of a cell or run for display. `elapsed` states how long it has been running. */
export function describeState({ state, exitCode, stoppedBy }: Ran, elapsed?: string): CellLook {
  switch (state) {
    case "idle":
      return { words: "not run", look: "" };
    case "queued":
      return { words: "queued", look: "" };
    case "running":
      return { words: elapsed === undefined ? "running" : `running ${elapsed}`, look: "" };
    case "completed":
      return { icon: "check", words: "completed", look: "okc" };
    case "stale":
      return { icon: "stale", words: "stale", look: "warnc" };
    case "interrupted":
      return { icon: "stop", words: "interrupted", look: "bad" };
    case "failed":
      return { icon: "close", words: describeFailure(exitCode, stoppedBy), look: "bad" };
  }
}

const stops: Readonly<Record<string, string>> = {
  time: "timed out",
  processor: "used too much CPU time",
  memory: "used too much memory",
  disk: "wrote too much",
  cancelled: "cancelled",
};

function describeFailure(exitCode: number | null | undefined, stoppedBy: string | undefined): string {
  if (stoppedBy !== undefined) return stops[stoppedBy] ?? `stopped: ${stoppedBy}`;
  return exitCode == null ? "failed" : `failed, exit ${exitCode}`;
}
