import * as z from "zod";
import { maxCount } from "../kernel/numbers.ts";
import type { Operation } from "../operations/pipeline/operation.ts";
import type { Flags, Option } from "./command.ts";

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

/**
 * Returns the operation's arguments as typed. `perform` checks them. If `now` is given, dates may be
 * relative, such as `7d`.
 */
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

/** Replaces field names in a message with the names of their options, as they were typed. */
export function nameOptions(message: string, fieldFlags: FieldFlags, given?: Flags): string {
  return Object.entries(fieldFlags).reduce((said, [name, { field }]) => {
    const subject = new RegExp(`(^|[.] )${field}(?=[ [.])`, "g");
    return said.replace(subject, `$1${given?.typed(name) ?? `--${name}`}`);
  }, message);
}

/**
 * If a number is out of bounds, the operation uses the nearest allowed one and returns a warning, which an
 * agent reads. A person at a terminal would not see the warning, so the command refuses the number.
 */
export function explainClamped(
  operation: Operation,
  fieldFlags: FieldFlags,
  given: Flags,
): string | undefined {
  for (const [name, { field }] of Object.entries(fieldFlags)) {
    const [text, schema] = [given.text(name), (operation.input.shape as Record<string, z.ZodType>)[field]];
    if (text === undefined || !schema || !/^\d+$/.test(text)) continue;
    const [least, most, taken] = [0, maxCount, Number(text)].map((count) => schema.safeParse(count).data);
    if (typeof taken === "number" && taken !== Number(text))
      return `${given.typed(name)} must be from ${least} to ${most}, not ${text}.`;
  }
  return undefined;
}
