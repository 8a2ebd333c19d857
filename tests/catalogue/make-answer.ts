import type * as z from "zod";

type Json = Record<string, unknown>;

export type AnswerSize = {
  /** The value of every text field. */
  text: string;
  /** Returns the number of items in a list or map. `path` contains the fields that lead to it. */
  items(path: readonly string[]): number;
};

/** Creates an answer with the given shape and all optional fields. */
export function makeAnswer(output: z.core.$ZodType, size: AnswerSize): Json {
  return make(output, size, []) as Json;
}

function make(schema: z.core.$ZodType, size: AnswerSize, path: readonly string[]): unknown {
  const { def } = schema._zod;
  const within = (inner: z.core.$ZodType) => make(inner, size, path);
  const items = () => Array.from({ length: size.items(path) }, (_, n) => n);
  switch (def.type) {
    case "object":
      return Object.fromEntries(
        Object.entries((def as z.core.$ZodObjectDef).shape).map(([name, field]) => [
          name,
          make(field, size, [...path, name]),
        ]),
      );
    case "array":
      return items().map(() => within((def as z.core.$ZodArrayDef).element));
    case "record":
      return Object.fromEntries(
        items().map((n) => [`key ${n}`, within((def as z.core.$ZodRecordDef).valueType)]),
      );
    case "optional":
    case "nullable":
    case "default":
      return within((def as z.core.$ZodOptionalDef).innerType);
    case "union":
      return within((def as z.core.$ZodUnionDef).options[0] as z.core.$ZodType);
    case "enum":
      return Object.values((def as z.core.$ZodEnumDef).entries)[0];
    case "literal":
      return (def as z.core.$ZodLiteralDef<z.core.util.Literal>).values[0];
    case "number":
      return 1;
    case "boolean":
      return true;
    case "null":
      return null;
    case "string":
    case "unknown":
      return size.text;
    default:
      throw new Error(`answers hold ${def.type}, which this test cannot make`);
  }
}
