import { delimiter } from "node:path";
import * as z from "zod";
import { nearest } from "./kernel/nearest.ts";
import { quote } from "./kernel/text.ts";

export type Setting<Value> = {
  /** If absent, only config.json can set the value. */
  variable?: string;
  /** Another program's name for the same variable. Ours takes precedence. */
  alias?: string;
  schema: z.ZodType<Value>;
  default: NoInfer<Value>;
  describe: string;
  /** Never quoted in messages. */
  secret?: true;
  /**
   * The setting exposes the machine to others or contains file paths, so only the config.json in the default data
   * directory can set it. If `guarded` is a list, this applies only to the listed values.
   */
  guarded?: true | readonly unknown[];
};

/** The schema alone determines the type of the value, and the default must match it. */
export function setting<Value>(declared: Setting<Value>): Setting<Value> {
  return declared;
}

/*
 * The schemas below accept text from the environment or JSON from config.json.
 * Each message completes the sentence `PORT is "x". It must be …`.
 */

const flagWords = new Map([
  ["true", true],
  ["1", true],
  ["yes", true],
  ["false", false],
  ["0", false],
  ["no", false],
]);

export const flag = fromText((word) => flagWords.get(word.toLowerCase()), z.boolean("true or false"));

export function wholeNumber(min: number, max: number) {
  const allowed = `a whole number from ${min} to ${max}`;
  return fromText(
    (digits) => (/^\d{1,9}$/.test(digits) ? Number(digits) : undefined),
    z.int(allowed).min(min, allowed).max(max, allowed),
  );
}

export const port = wholeNumber(0, 65_535);

export function oneOf<const Value extends string>(values: readonly Value[]) {
  return z.enum(values, { error: () => `${values.slice(0, -1).join(", ")} or ${values.at(-1)}` });
}

export function text(pattern: RegExp, allowed: string) {
  return z.string(allowed).regex(pattern, allowed);
}

export function textList(separator: string, pattern: RegExp, allowed: string) {
  return fromText(splitList(separator), z.array(text(pattern, allowed), allowed).readonly());
}

const splitList = (separator: string) => (joined: string) =>
  joined
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== "");

/**
 * Accepts names from a list, or `*` for all of them. Unknown names are refused, because a misspelt one would
 * silently select nothing.
 */
export function namesOrAny(known: readonly string[], what: string) {
  const allowed = `* or ${what}`;
  const explain = (name: unknown) => {
    const guess = nearest(String(name), known);
    return guess
      ? `${allowed}, such as ${guess} instead of ${quote(String(name))}`
      : `${allowed}: ${known.join(", ")}`;
  };
  const item = z
    .string(allowed)
    .refine((name) => name === "*" || known.includes(name), { error: ({ input }) => explain(input) });
  return fromText(splitList(","), z.array(item, allowed).readonly());
}

/** `slugProject` and file systems drop a dot or dash at the end. Windows device names cannot name folders. */
export const projectName = text(
  /^(?!(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$))[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_])?$/i,
  "1 to 64 letters, digits, dots, dashes or underscores, with a letter, digit or underscore at both ends, and not a device name such as nul",
);

export const workspaceName = text(
  /^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$/,
  "1 to 128 letters, digits, dots, dashes, underscores or slashes, starting with a letter or digit",
);
export const workspaceNames = textList(",", /^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$/, "names of workspaces");

export const sessionId = z.uuid("a session ID (a UUID)");

const anyPath = /^\P{Cc}+$/u;
export const path = text(anyPath, "a path without control characters");
export const paths = textList(delimiter, anyPath, "paths without control characters");

const anyHost = /^[A-Za-z0-9.:[\]_%-]+$/;
export const host = text(anyHost, "a host name or address without scheme or path");
export const hosts = textList(",", anyHost, "host names or addresses without scheme or path");

const originExample = "origins such as https://box.example.com";
const anyOrigin = "[a-z][a-z0-9+.-]*://[^\\s/,]+";
export const origins = textList(",", new RegExp(`^${anyOrigin}$`, "i"), originExample);
export const originsOrAny = textList(",", new RegExp(`^(?:\\*|${anyOrigin})$`, "i"), `* or ${originExample}`);

/** If `read` returns `undefined`, the schema gets the unchanged text and refuses it. */
function fromText<Schema extends z.ZodType>(read: (text: string) => unknown, schema: Schema) {
  return z.preprocess((value) => (typeof value === "string" ? (read(value) ?? value) : value), schema);
}
