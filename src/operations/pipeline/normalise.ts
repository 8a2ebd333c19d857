import { ThoughtboxError } from "../../kernel/errors.ts";
import { findHostileJson } from "../../kernel/json/walk-json.ts";
import { nearest } from "../../kernel/nearest.ts";
import { quote } from "../../kernel/text.ts";
import type { Operation } from "./operation.ts";

/** The tool that can call every operation and reveals the operations in stages. */
export const gatewayName = "thoughtbox_gateway";

export type NormalCall = { operation: Operation; args: Args };
type Args = Record<string, unknown>;

export type Normalise = (name: string, given: unknown) => NormalCall;

/** Converts calls to one form, because agents spell them in many ways. */
export function createNormaliser(catalogue: readonly Operation[]): Normalise {
  const groups = groupsOf(catalogue);
  const operations = bySpelling(catalogue);
  return (name, given) => {
    if (typeof name !== "string") throw invalid("The name of an operation must be text.");
    const input = toArgs(given, "arguments");
    const { target, args } =
      name === gatewayName ? openGatewayCall(groups, input) : { target: name, args: input };
    const operation = operations.get(target) ?? refuseName(catalogue, groups, target);
    return { operation, args: spellOut(operation, args) };
  };
}

/** A group such as `session` has sub-operations such as `session.list`. Maps each group to its verbs. */
type Groups = ReadonlyMap<string, readonly string[]>;

function groupsOf(catalogue: readonly Operation[]): Groups {
  const groups = new Map<string, string[]>();
  for (const { name } of catalogue) {
    const dot = name.indexOf(".");
    if (dot === -1) continue;
    const group = name.slice(0, dot);
    groups.set(group, [...(groups.get(group) ?? []), name.slice(dot + 1)]);
  }
  return groups;
}

/** Maps spellings to operations. If a spelling is also another operation's name, the name wins. */
function bySpelling(catalogue: readonly Operation[]): ReadonlyMap<string, Operation> {
  const operations = new Map(catalogue.map((operation) => [operation.name, operation]));
  for (const operation of catalogue)
    for (const spelling of [toolName(operation.name), operation.name.replaceAll(".", "_")])
      if (!operations.has(spelling)) operations.set(spelling, operation);
  return operations;
}

function openGatewayCall(groups: Groups, input: Args): { target: string; args: Args } {
  const { operation, subOperation, args: nested, ...flat } = input;
  if (typeof operation !== "string" || operation === "") {
    throw new ThoughtboxError(
      "INVALID_OPERATION",
      "operation is required: the name of the operation to call.",
      {
        recovery: { hint: "List the operations.", operation: "help", args: {} },
      },
    );
  }
  const inner = toArgs(nested, "args");
  const verbs = groups.get(operation);
  if (!verbs) {
    if (subOperation !== undefined && !isSaidAlready(operation, subOperation))
      throw invalid(`${quote(operation)} has no sub-operations. Leave subOperation out.`);
    const { subOperation: repeated, ...others } = inner;
    return { target: operation, args: merge(flat, isSaidAlready(operation, repeated) ? others : inner) };
  }
  const { verb, rest } = takeVerb(operation, verbs, subOperation, inner);
  return {
    target: verb.startsWith(`${operation}.`) ? verb : `${operation}.${verb}`,
    args: merge(flat, rest),
  };
}

/** True if `subOperation` repeats the verb of a dotted name that the agent took from an answer. */
const isSaidAlready = (operation: string, subOperation: unknown): boolean =>
  typeof subOperation === "string" &&
  (operation === subOperation ||
    operation.endsWith(`.${subOperation}`) ||
    operation.endsWith(`_${subOperation}`));

/**
 * Checks `subOperation`, `args.subOperation`, `args.operation` and `args.action`, in this order. Removes only the field
 * that it used.
 */
function takeVerb(
  group: string,
  verbs: readonly string[],
  subOperation: unknown,
  inner: Args,
): { verb: string; rest: Args } {
  if (typeof subOperation === "string") return { verb: subOperation, rest: inner };
  const { subOperation: nested, ...besides } = inner;
  if (typeof nested === "string") return { verb: nested, rest: besides };
  const { operation, args, ...others } = inner;
  if (typeof operation === "string")
    return { verb: operation, rest: merge(others, toArgs(args, "args.args")) };
  const { action, ...remaining } = inner;
  if (typeof action === "string") return { verb: action, rest: remaining };
  throw new ThoughtboxError("INVALID_OPERATION", `${group} needs a subOperation: ${verbs.join(", ")}.`, {
    recovery: { hint: `See the sub-operations of ${group}.`, operation: "help", args: { topic: group } },
  });
}

function refuseName(catalogue: readonly Operation[], groups: Groups, name: string): never {
  const group = name.split(".", 1)[0] ?? "";
  const verbs = groups.get(group);
  const guess = verbs ? guessVerb(group, verbs, name) : guessOperation(catalogue, name);
  const offered = verbs && !guess ? ` Sub-operations of ${group}: ${verbs.join(", ")}.` : "";
  throw new ThoughtboxError(
    "INVALID_OPERATION",
    `There is no operation ${quote(name)}.${guess ? ` Did you mean ${guess}?` : ""}${offered}`,
    {
      ...(verbs && { details: { subOperations: verbs } }),
      recovery: {
        hint: guess
          ? `See how to call ${guess}.`
          : verbs
            ? `See how to call ${group}.`
            : "List the operations.",
        operation: "help",
        args: guess ? { topic: guess } : verbs ? { topic: group } : {},
      },
    },
  );
}

/** Guesses a verb. Compares only verbs, because full names in a group are all similar. */
function guessVerb(group: string, verbs: readonly string[], name: string): string | undefined {
  const verb = nearest(name.slice(group.length + 1), verbs);
  return verb === undefined ? undefined : `${group}.${verb}`;
}

/** Guesses an operation. Compares full names first, then verbs: `serch` is closest to `session.search`. */
function guessOperation(catalogue: readonly Operation[], name: string): string | undefined {
  const whole = nearest(
    name,
    catalogue.flatMap((operation) => [operation.name, toolName(operation.name)]),
  );
  if (whole !== undefined) return whole;
  const verbs = new Map<string, string>();
  for (const operation of catalogue) {
    const verb = operation.name.split(/[._]/).at(-1) ?? "";
    if (!verbs.has(verb)) verbs.set(verb, operation.name);
  }
  const verb = nearest(name, verbs.keys());
  return verb === undefined ? undefined : verbs.get(verb);
}

/**
 * Returns the tool's name, which has no dots: `session.search` becomes `session_search`. Reduces a name that
 * would be too long to its verb.
 */
export function toolName(operationName: string): string {
  const full = operationName.replaceAll(".", "_");
  return full.length <= longestToolName ? full : operationName.slice(operationName.indexOf(".") + 1);
}

const longestToolName = 24;

function spellOut({ spellings: { aliases, envelopes, reshape } }: Operation, given: Args): Args {
  let args = given;
  for (const envelope of envelopes) {
    if (typeof args[envelope] !== "object") continue;
    const { [envelope]: content, ...flat } = args;
    args = merge(flat, toArgs(content, envelope));
  }
  if (reshape) args = reshape(args);
  for (const [alias, name] of Object.entries(aliases)) {
    if (!Object.hasOwn(args, alias)) continue;
    const { [alias]: value, ...others } = args;
    args = merge(others, { [name]: value });
  }
  return args;
}

/** Merges both forms of arguments. A key may be given twice if both values are identical. */
function merge(flat: Args, nested: Args): Args {
  for (const key of Object.keys(nested)) {
    if (Object.hasOwn(flat, key) && !isSame(flat[key], nested[key])) {
      throw invalid(`${quote(key, 60)} appears twice with different values. Pass it once.`);
    }
  }
  return { ...flat, ...nested };
}

/**
 * True if two values are identical. False if they are nested so deeply that comparing them would overflow the
 * stack.
 */
function isSame(one: unknown, other: unknown): boolean {
  return findHostileJson([one, other]) === undefined && JSON.stringify(one) === JSON.stringify(other);
}

/** Models sometimes send `args` as JSON text. `null` means absent. */
function toArgs(value: unknown, name: string): Args {
  if (value === undefined || value === null) return {};
  const opened = typeof value === "string" ? parseObject(value) : value;
  if (typeof opened === "object" && opened !== null && !Array.isArray(opened))
    return withoutNulls(opened as Args);
  throw invalid(`${name} must be an object.`);
}

function parseObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withoutNulls(args: Args): Args {
  const kept: [string, unknown][] = [];
  for (const key of Object.keys(args)) {
    const value = args[key];
    if (value !== null && value !== undefined) kept.push([key, value]);
  }
  return Object.fromEntries(kept);
}

function invalid(message: string): ThoughtboxError {
  return new ThoughtboxError("INVALID_PAYLOAD", message, {
    recovery: { hint: "See how to call operations.", operation: "help", args: {} },
  });
}
