import type { Steps } from "../kernel/steps.ts";
import type { Terminal } from "./host.ts";
import type { RenderContext } from "./rendering/render-context.ts";

export type Option = {
  /** The placeholder of the value in help. An option without one is a switch. */
  value?: string;
  short?: string;
  describe: string;
  choices?: readonly string[];
  many?: true;
};

/** The same data twice: as it is, for `--json`, and as lines for people. */
export type Answer = {
  data: unknown;
  lines(context: RenderContext): readonly string[] | Steps<readonly string[]>;
  /** A document, printed as it is in a terminal of any width. */
  isDocument?: true;
  /** Printed as JSON in place of the lines: to be read by a program as well. */
  json?: unknown;
  failed?: boolean;
};

export type Flags = {
  has(name: string): boolean;
  text(name: string): string | undefined;
  all(name: string): string[];
};

export type Invocation = { terminal: Terminal; words: readonly string[]; flags: Flags };

export const groups = ["Serve", "Look", "Move", "Care", "More"] as const;

export type Command = {
  name: string;
  /** Other names that people type. */
  aliases?: readonly string[];
  group: (typeof groups)[number];
  summary: string;
  /** The words after the name, as help shows them: `<session>`, `[name]`, `<words…>`. */
  words?: readonly string[];
  options?: Readonly<Record<string, Option>>;
  details?: readonly string[];
  /** Executed by the tests on a prepared store. */
  examples: readonly { line: string; shows: string }[];
  /** An exit code where the command has said everything itself. */
  run(invocation: Invocation): Promise<Answer | number>;
};

/** Understood by every command. */
export const commonOptions: Readonly<Record<string, Option>> = {
  json: { describe: "Print JSON, for programs." },
  "data-dir": { value: "place", describe: "Directory of the store, instead of THOUGHTBOX_DATA_DIR." },
  project: { value: "name", describe: "Project to work in, instead of THOUGHTBOX_PROJECT." },
  quiet: { short: "q", describe: "Print no progress and no hints." },
  color: {
    value: "when",
    describe: "Colour the output. By default, only in a terminal.",
    choices: ["always", "never", "auto"],
  },
  "no-pager": { describe: "Print long output directly instead of through $PAGER." },
  debug: { describe: "Show the stack of a failure that is a bug." },
  help: { short: "h", describe: "This page." },
};

/** A command's own meaning of an option wins over the common one. */
export function optionsOf(command: Command): Readonly<Record<string, Option>> {
  return {
    ...command.options,
    ...Object.fromEntries(Object.entries(commonOptions).filter(([name]) => !command.options?.[name])),
  };
}

/** What the common options set for one start. A `--project` of the command itself is a filter, not a setting. */
export function commonSettings(command: Command, flags: Flags): Record<string, string> {
  const dataDir = flags.text("data-dir");
  const project = command.options?.["project"] ? undefined : flags.text("project");
  return {
    ...(dataDir !== undefined && { THOUGHTBOX_DATA_DIR: dataDir }),
    ...(project !== undefined && { THOUGHTBOX_PROJECT: project }),
  };
}

/** As THOUGHTBOX_WORKSPACE says it, for one start. */
export const workspaceOption: Readonly<Record<string, Option>> = {
  workspace: {
    value: "name",
    describe: "Workspace of the memory for calls that name none, instead of THOUGHTBOX_WORKSPACE.",
  },
};

export function workspaceSetting(flags: Flags): Record<string, string> {
  const workspace = flags.text("workspace");
  return workspace === undefined ? {} : { THOUGHTBOX_WORKSPACE: workspace };
}
