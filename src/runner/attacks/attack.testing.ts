import type { RunResult } from "../../ports/notebook/cell-runner.ts";
import type { TestRunner } from "../test-runner.testing.ts";

/** What exists outside a cell and must stay out of its reach. Each attack gets its own target. */
export type Target = {
  secret: string;
  /** A folder that contains only `secret`, `secret.json` and `secret.mjs`, each with the secret in it. */
  outside: string;
  /** The path, outside the sandbox, of the folder that the cell may write to. */
  files: string;
  socketPath: string;
  /** The name of an abstract socket, without the leading zero byte. */
  abstractName: string;
  port: number;
  /** UDP port. */
  datagramPort: number;
  /** How many times anything connected to one of the addresses above or sent data there. */
  connections: number;
  signals: string[];
};

export type Attack = {
  name: string;
  /**
   * The attacking program for this target. Unless `alone` is set, the program restores the state of its
   * process.
   */
  program(target: Target): string;
  /** True if the attack succeeded, as seen from outside. `output` is what the program printed or threw. */
  gotThrough(target: Target, output: string, seen: Seen): boolean | Promise<boolean>;
  /**
   * True if the attack needs its own process, because it ends its process, fills something up, or changes
   * what other attacks find.
   */
  alone?: true;
  /**
   * In a kernel sandbox, the attack succeeds without harm, because it only affects what the namespaces
   * contain.
   */
  staysInside?: true;
  timeoutMs?: number;
};

type Seen = { result: RunResult; test: TestRunner };

export const json = JSON.stringify;
export const secretShown = ({ secret }: Target, output: string) => output.includes(secret);
/**
 * Checks for effects that cannot be seen from outside. The program prints the word in two halves, so that no
 * error message quotes it.
 */
export const said = (word: string) => (_target: Target, output: string) => output.includes(word);
