import type { RunResult } from "../../ports/notebook/cell-runner.ts";
import type { TestRunner } from "../test-runner.testing.ts";

/** The world outside of a cell, with something in it that a cell should not reach. Every attack has one of its own. */
export type Target = {
  secret: string;
  /** A folder with a file `secret`, the same as `secret.json` and `secret.mjs`, and nothing else. */
  outside: string;
  /** The folder that the cell may write to, as it is called outside. */
  files: string;
  socketPath: string;
  /** Without the leading zero byte. */
  abstractName: string;
  port: number;
  /** UDP. */
  datagramPort: number;
  /** Someone connected to, or sent something to, one of the above. */
  connections: number;
  signals: string[];
};

export type Attack = {
  name: string;
  /** A program, given what it is after. Unless it is alone, it leaves its process as it found it. */
  program(target: Target): string;
  /** Whether it got what it was after, seen from outside. `output` is what this program printed, or threw. */
  gotThrough(target: Target, output: string, seen: Seen): boolean | Promise<boolean>;
  /** It ends its process, fills something, or changes what others find: it gets its own process. */
  alone?: true;
  /** Where the kernel guards, it succeeds without harm: inside, on what goes with the namespaces. */
  staysInside?: true;
  timeoutMs?: number;
};

type Seen = { result: RunResult; test: TestRunner };

export const json = JSON.stringify;
export const secretShown = ({ secret }: Target, output: string) => output.includes(secret);
/** For what cannot be seen from outside: the program says so, in two halves that no error message quotes. */
export const said = (word: string) => (_target: Target, output: string) => output.includes(word);
