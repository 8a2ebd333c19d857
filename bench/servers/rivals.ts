import { someThought } from "../stores/some-thought.ts";
import type { StdioServer } from "./stdio-server.ts";

export const callNoop = ({ call }: Pick<StdioServer, "call">) => call("noop", { thought: someThought() });

export function createSequentialThinker({ call }: StdioServer) {
  let thoughtNumber = 0;
  return () => {
    thoughtNumber += 1;
    return call("sequentialthinking", {
      thought: someThought(),
      thoughtNumber,
      totalThoughts: thoughtNumber,
      nextThoughtNeeded: true,
    });
  };
}
