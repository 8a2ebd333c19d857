import * as z from "zod";
import type { Args, Operation } from "../../../src/operations/pipeline/operation.ts";

type Schema = {
  type?: string;
  enum?: unknown[];
  pattern?: string;
  maxLength?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
};

type Write = (length: number) => string;

/** Characters for all fields together, which stay below 4 MiB per message in any script. */
const messageRoom = 1_300_000;
/** Text limits are in characters or in bytes. Chinese takes three bytes per character. */
const bytesACharacter = 3;

/** Returns the fields of an operation that accept any text, many texts, or any keys. */
export function freeFields({ input }: Operation): string[] {
  const { properties = {} } = z.toJSONSchema(input, { io: "input" }) as Schema;
  return Object.keys(properties).filter((name) => isFree(properties[name] ?? {}));
}

/** Returns the same call, with some of its fields as large as the operation accepts. */
export function swell({ input }: Operation, args: Args, fields: readonly string[], write: Write): Args {
  const { properties = {} } = z.toJSONSchema(input, { io: "input" }) as Schema;
  const room = Math.floor(messageRoom / Math.max(1, fields.length));
  const swollen = fields.map((name) => [name, fill(properties[name] ?? {}, room, write)]);
  return { ...args, ...Object.fromEntries(swollen) };
}

function isFree(field: Schema): boolean {
  if (field.enum || field.pattern !== undefined) return false;
  if (field.type === "string") return true;
  if (field.type === "array") return field.items !== undefined && isFree(field.items);
  return field.type === "object" && field.properties === undefined;
}

function fill(field: Schema, room: number, write: Write): unknown {
  if (field.type === "string") {
    const length = Math.min(field.maxLength ?? room, room);
    return write(length > 100_000 ? Math.floor(length / bytesACharacter) : length);
  }
  if (field.type === "array") {
    const count = Math.min(field.maxItems ?? 1_000, 1_000);
    return Array.from({ length: count }, () => fill(field.items ?? {}, Math.floor(room / count), write));
  }
  return Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`key-${index}`, "value"]));
}
