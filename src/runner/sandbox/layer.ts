import type { SandboxLevel } from "../../ports/notebook/cell-runner.ts";

/** Where a process works and what it may reach. */
export type Enclosure = {
  /** The only directory it may write to. */
  directory: string;
  net: boolean;
};

/** One way to keep a process from the rest of the machine. */
export type Layer = {
  level: SandboxLevel;
  /** The directory under the name that the process sees. */
  inside(directory: string): string;
  /** Whether Node's own permission flags are part of it. */
  permissions: boolean;
  /** The command that runs this command inside the layer. */
  wrap(command: readonly string[], enclosure: Enclosure): string[];
};
