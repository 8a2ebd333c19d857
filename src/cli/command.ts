import type { Steps } from "../kernel/steps.ts";
import type { Terminal } from "./host.ts";
import type { RenderContext } from "./rendering/render-context.ts";

export type Option = {
  /** The placeholder for the value in help. If absent, the option is a switch. */
  value?: string;
  short?: string;
  describe: string;
  choices?: readonly string[];
  many?: true;
};

/** The result of a command: `data` for `--json`, and `lines` for people. */
export type Answer = {
  data: unknown;
  lines(context: RenderContext): readonly string[] | Steps<readonly string[]>;
  /** Printed without wrapping, whatever the terminal's width. */
  isDocument?: true;
  /** If set, printed as JSON instead of `lines`, even without `--json`. */
  json?: unknown;
  failed?: boolean;
};

export type Flags = {
  has(name: string): boolean;
  text(name: string): string | undefined;
  all(name: string): string[];
  /** The option as it was typed: `-n` or `--limit`. */
  typed(name: string): string;
};

export type Invocation = { terminal: Terminal; words: readonly string[]; flags: Flags };

export const groups = ["Serve", "Look", "Move", "Care", "More"] as const;

export type Command = {
  name: string;
  aliases?: readonly string[];
  group: (typeof groups)[number];
  summary: string;
  /** The words after the name, as shown in help: `<session>`, `[name]`, `<words…>`. */
  words?: readonly string[];
  options?: Readonly<Record<string, Option>>;
  details?: readonly string[];
  /** Tests run each example on a prepared store. */
  examples: readonly { line: string; shows: string }[];
  /** Returns an exit code if the command has already printed everything. */
  run(invocation: Invocation): Promise<Answer | number>;
};

/** Accepted by every command. */
export const commonOptions: Readonly<Record<string, Option>> = {
  json: { describe: "Print JSON, for programs." },
  "data-dir": { value: "place", describe: "Directory of the store. Overrides THOUGHTBOX_DATA_DIR." },
  project: { value: "name", describe: "Project to work in. Overrides THOUGHTBOX_PROJECT." },
  quiet: { short: "q", describe: "Print no progress and no hints." },
  color: {
    value: "when",
    describe: "Colour the output. By default, only in a terminal.",
    choices: ["always", "never", "auto"],
  },
  "no-pager": { describe: "Print long output directly instead of through $PAGER." },
  debug: { describe: "Show the stack trace if a bug causes a failure." },
  help: { short: "h", describe: "Show this page." },
};

/** Returns a command's options. Its own option overrides a common one with the same name. */
export function optionsOf(command: Command): Readonly<Record<string, Option>> {
  return {
    ...command.options,
    ...Object.fromEntries(Object.entries(commonOptions).filter(([name]) => !command.options?.[name])),
  };
}

/**
 * Settings from the common options. If a command has its own `--project` option, that option is a filter, not
 * a setting.
 */
export function commonSettings(command: Command, flags: Flags): Record<string, string> {
  const dataDir = flags.text("data-dir");
  const project = command.options?.["project"] ? undefined : flags.text("project");
  return {
    ...(dataDir !== undefined && { THOUGHTBOX_DATA_DIR: dataDir }),
    ...(project !== undefined && { THOUGHTBOX_PROJECT: project }),
  };
}

/** Overrides THOUGHTBOX_WORKSPACE. */
export const workspaceOption: Readonly<Record<string, Option>> = {
  workspace: {
    value: "name",
    describe: "Memory workspace to use. Overrides THOUGHTBOX_WORKSPACE.",
  },
};

export function workspaceSetting(flags: Flags): Record<string, string> {
  const workspace = flags.text("workspace");
  return workspace === undefined ? {} : { THOUGHTBOX_WORKSPACE: workspace };
}
