import type { Command } from "../../command.ts";
import { notUnderstood } from "../../failure.ts";

/** Only the help page. `launch/thoughtbox.cjs` starts `hook.ts` instead, which loads almost nothing. */
export const hook: Command = {
  name: "hook",
  group: "Serve",
  summary: "Answer a client's hook. Connected clients run this for you.",
  words: ["[client]", "[event]", "[data-dir]"],
  details: [
    "The client passes the event as JSON on stdin. The answer is one JSON object on stdout, {} if there is nothing to report. It arrives within 300 ms, and the exit code is always 0.",
    "SessionStart returns what earlier sessions in this repository decided, rejected and left open. Stop, SubagentStop, PreCompact and SessionEnd record what is new in the transcript, if you agreed to capture.",
    "A running server answers over the socket run/hook.sock in the data directory. Without one the hook reads the store itself.",
    "thoughtbox doctor reports when each client's hooks last ran.",
  ],
  examples: [{ line: "thoughtbox connect", shows: "which clients are connected, and when their hooks ran" }],

  run: async () => {
    throw notUnderstood("Clients start hook as the first word: thoughtbox hook <client> <event>.");
  },
};
