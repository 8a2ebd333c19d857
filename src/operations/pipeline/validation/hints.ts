import type * as z from "zod";
import { nearest } from "../../../kernel/nearest.ts";
import type { Operation } from "../operation.ts";

/** A problem described for programs. The message describes the same problem in words. */
export type Hint =
  | { kind: "missing" | "type" | "prefix"; field: string; expected: string }
  | { kind: "non_empty"; field: string }
  | { kind: "choose_one"; field: string; expected: string[] }
  | { kind: "length"; field: string; min?: number; max?: number };

const maxChoices = 20;
/** The maximum number of hints, because guessing misspelt names takes time. */
export const maxHints = 5;

/** Returns the hints for an issue. Rules without structure, such as a field's custom checks, have none. */
export function hintAt(operation: Operation, field: string, issue: z.core.$ZodIssue): Hint[] {
  switch (issue.code) {
    case "invalid_type":
      return [{ kind: issue.input === undefined ? "missing" : "type", field, expected: issue.expected }];
    case "invalid_value":
      return issue.input === undefined
        ? [{ kind: "missing", field, expected: issue.values.map(String).join("|") }]
        : [{ kind: "choose_one", field, expected: issue.values.map(String) }];
    case "too_small":
      return [tooSmall(field, issue)];
    case "too_big":
      return [
        isCounted(issue.origin)
          ? { kind: "length", field, max: Number(issue.maximum) }
          : { kind: "type", field, expected: `at most ${issue.maximum}` },
      ];
    case "invalid_format":
      return [wrongFormat(field, issue)];
    case "unrecognized_keys":
      return issue.path.length > 0
        ? []
        : issue.keys.slice(0, maxHints).map((key) => unknownKey(operation, key));
    default:
      return [];
  }
}

/** True for strings, arrays and objects, which have a length. Numbers have a size. */
const isCounted = (origin: string): boolean => ["string", "array", "object", "record"].includes(origin);

function tooSmall(field: string, { origin, minimum }: z.core.$ZodIssueTooSmall): Hint {
  if (!isCounted(origin)) return { kind: "type", field, expected: `at least ${minimum}` };
  return Number(minimum) === 1
    ? { kind: "non_empty", field }
    : { kind: "length", field, min: Number(minimum) };
}

/** Returns a hint with the prefix of IDs such as `a:core`, or with the description of any other format. */
function wrongFormat(field: string, issue: z.core.$ZodIssueInvalidStringFormat): Hint {
  const prefix = /^\/\^([A-Za-z]+[:@/-])/.exec(issue.pattern ?? "")?.[1];
  if (prefix !== undefined && !String(issue.input).startsWith(prefix))
    return { kind: "prefix", field, expected: prefix };
  return issue.input === "" ? { kind: "non_empty", field } : { kind: "type", field, expected: issue.message };
}

function unknownKey({ input }: Operation, key: string): Hint {
  const known = Object.keys(input.shape);
  const guess = nearest(key, known);
  const expected = guess === undefined ? known.slice(0, maxChoices) : [guess];
  return { kind: "choose_one", field: key.slice(0, 80), expected };
}
