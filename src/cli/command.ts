import * as z from "zod";
import type { Steps } from "../kernel/steps.ts";
import type { Operation } from "../operations/pipeline/operation.ts";
import type { Terminal } from "./host.ts";
import type { RenderContext } from "./rendering/render-context.ts";

export type Option = {
  /** The placeholder for the value in help. An option without one is a switch. */
  value?: string;
  short?: string;
  describe: string;
  choices?: readonly string[];
  many?: true;
};

/** The same data twice: for `--json`, and as lines for people. */
export type Answer = {
  data: unknown;
  lines(context: RenderContext): readonly string[] | Steps<readonly string[]>;
  /** Printed without wrapping, whatever the terminal's width. */
  isDocument?: true;
  /** Printed as JSON instead of `lines`, so that programs can read the answer too. */
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
  "data-dir": { value: "place", describe: "Directory of the store, instead of THOUGHTBOX_DATA_DIR." },
  project: { value: "name", describe: "Project to work in, instead of THOUGHTBOX_PROJECT." },
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

/** A command's own option wins over a common one with the same name. */
export function optionsOf(command: Command): Readonly<Record<string, Option>> {
  return {
    ...command.options,
    ...Object.fromEntries(Object.entries(commonOptions).filter(([name]) => !command.options?.[name])),
  };
}

/** Settings from the common options. If a command has its own `--project`, that is a filter, not a setting. */
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
    describe: "Memory workspace to use, instead of THOUGHTBOX_WORKSPACE.",
  },
};

export function workspaceSetting(flags: Flags): Record<string, string> {
  const workspace = flags.text("workspace");
  return workspace === undefined ? {} : { THOUGHTBOX_WORKSPACE: workspace };
}

type Field = { description?: string; enum?: string[]; type?: string };

/** The fields of an operation that are options, and their names on the command line. */
export type FieldFlags = Readonly<
  Record<string, { field: string; value: string; many?: true; short?: string }>
>;

/** Creates options from the catalogue, so that descriptions and choices are written only once, with the operation. */
export function optionsFrom(operation: Operation, flags: FieldFlags): Record<string, Option> {
  const { properties = {} } = z.toJSONSchema(operation.input, { io: "input" }) as {
    properties?: Record<string, Field>;
  };
  return Object.fromEntries(
    Object.entries(flags).map(([name, { field, value, many, short }]) => {
      const { description = "", enum: choices } = properties[field] ?? {};
      return [
        name,
        {
          value,
          describe: description,
          ...(choices && { choices }),
          ...(many && { many }),
          ...(short && { short }),
        },
      ];
    }),
  );
}

const unitMs = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const;

/** Parses `7d`, `12h` or `2w` as a time before `now`. Returns `undefined` for any other text. */
export function readAgo(typed: string, now: Date): Date | undefined {
  const [, number, unit] = /^(\d{1,4})([hdw])$/.exec(typed) ?? [];
  return unit === undefined
    ? undefined
    : new Date(now.getTime() - Number(number) * unitMs[unit as keyof typeof unitMs]);
}

/** The operation's arguments as typed. `perform` checks them. With `now`, dates may be relative, such as `7d`. */
export function argumentsFrom(flags: Flags, fieldFlags: FieldFlags, now?: Date): Record<string, unknown> {
  const read = (name: string, value: string) => {
    const typed = flags.text(name);
    const ago = now && value === "date" && typed !== undefined ? readAgo(typed, now) : undefined;
    return ago?.toISOString() ?? typed;
  };
  return Object.fromEntries(
    Object.entries(fieldFlags).flatMap(([name, { field, many, value }]) =>
      flags.has(name) ? [[field, many ? flags.all(name) : read(name, value)]] : [],
    ),
  );
}

/** Replaces field names in a message with the names of their options. */
export function nameOptions(message: string, fieldFlags: FieldFlags): string {
  return Object.entries(fieldFlags).reduce((said, [name, { field }]) => {
    const subject = new RegExp(`(^|[.] )${field}(?=[ [.])`, "g");
    return said.replace(subject, `$1--${name}`);
  }, message);
}
