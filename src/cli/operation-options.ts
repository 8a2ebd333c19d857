import * as z from "zod";
import type { Operation } from "../operations/pipeline/operation.ts";
import type { Flags, Option } from "./command.ts";

type Field = { description?: string; enum?: string[]; type?: string };

/** Which fields of an operation are options, and what they are called on the command line. */
export type FieldFlags = Readonly<
  Record<string, { field: string; value: string; many?: true; short?: string }>
>;

/** Options in the words of the catalogue: description and choices stand with the operation, once. */
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

/** The operation's arguments as they were given; `perform` checks them. */
export function argumentsFrom(flags: Flags, fieldFlags: FieldFlags): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fieldFlags).flatMap(([name, { field, many }]) =>
      flags.has(name) ? [[field, many ? flags.all(name) : flags.text(name)]] : [],
    ),
  );
}

/** Sentences about fields as sentences about the options that stand for them. */
export function nameOptions(message: string, fieldFlags: FieldFlags): string {
  return Object.entries(fieldFlags).reduce((said, [name, { field }]) => {
    const subject = new RegExp(`(^|[.] )${field}(?=[ [.])`, "g");
    return said.replace(subject, `$1--${name}`);
  }, message);
}
