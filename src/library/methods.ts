import type { CallOptions, Connection, MethodNames, Methods } from "./api.d.ts";

type Call = (name: string, args?: Record<string, unknown>, options?: CallOptions) => Promise<unknown>;

const names: MethodNames = {
  thoughts: { add: "thought", read: "read_thoughts" },
  sessions: {
    list: "session.list",
    get: "session.get",
    search: "session.search",
    resume: "load_context",
    delete: "session.delete",
  },
  notes: { add: "notes_commit" },
  cards: { add: "think_card" },
  tasks: { create: "tasks_create", list: "tasks_context" },
  recall: "recall",
  why: "why",
  decisions: { add: "decide", list: "decisions" },
  changes: "changes",
  open: "open",
};

/** Converts a name with underscores, as in the memory's fields, to camelCase, which methods use. */
const toCamelCase = (name: string): string => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

export function createMethods(call: Connection["call"], schemasOf: (operation: string) => Schemas): Methods {
  const method =
    (operation: string) =>
    async (args: Record<string, unknown> = {}, options?: CallOptions) => {
      const { input, output } = schemasOf(operation);
      const spelled = respell(args, input, toWireName) as Record<string, unknown>;
      return respell(await (call as Call)(operation, spelled, options), output, toCamelCase);
    };
  const build = (named: string | object): unknown =>
    typeof named === "string"
      ? method(named)
      : Object.fromEntries(Object.entries(named).map(([name, inner]) => [name, build(inner)]));
  return build(names) as Methods;
}

/** The part of a JSON Schema that determines which fields a value has. */
type Schema = {
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema | boolean;
  anyOf?: Schema[];
};

export type Schemas = { input: Schema; output: Schema };

type Rename = (name: string, declared: Record<string, Schema>) => string;

const toWireName: Rename = (name, declared) =>
  Object.hasOwn(declared, name)
    ? name
    : (Object.keys(declared).find((field) => toCamelCase(field) === name) ?? name);

/** Renames only fields that the schema declares. Keys of records, and values of any form, are data. */
function respell(value: unknown, schema: Schema | boolean | undefined, rename: Rename): unknown {
  if (typeof value !== "object" || value === null || typeof schema !== "object") return value;
  if (schema.anyOf) return respell(value, mergeForms(value, schema.anyOf), rename);
  if (Array.isArray(value)) return value.map((item) => respell(item, schema.items, rename));
  const declared = schema.properties ?? {};
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const wire = toWireName(name, declared);
      const isField = Object.hasOwn(declared, wire);
      const inner = isField ? declared[wire] : schema.additionalProperties;
      return [isField ? rename(name, declared) : name, respell(member, inner, rename)];
    }),
  );
}

/** Combines the forms that a value can have. Every field has the same name in all of them. */
function mergeForms(value: object, forms: readonly Schema[]): Schema {
  if (Array.isArray(value)) return forms.find(({ items }) => items !== undefined) ?? {};
  const { additionalProperties } = forms.find((form) => form.additionalProperties) ?? {};
  return {
    properties: Object.assign({}, ...forms.map(({ properties }) => properties)),
    ...(additionalProperties !== undefined && { additionalProperties }),
  };
}

/**
 * Returns the arguments for the next page, or `undefined` after the last one. Depending on the list, a cursor, an
 * offset in a text, the newest item or `hasMore` shows that there is more.
 */
export function nextPage(
  args: Record<string, unknown>,
  result: Record<string, unknown>,
): Record<string, unknown> | undefined {
  const { next_cursor: cursor } = (result["pagination"] ?? {}) as { next_cursor?: unknown };
  if (cursor !== undefined && cursor !== null) return { ...args, cursor };
  const offset = result["nextOffset"] ?? result["next_offset"];
  if (offset !== undefined) return { ...args, offset };
  if (result["nextAfter"] !== undefined) return { ...args, after: result["nextAfter"] };
  if (result["has_more"] === true && result["since"] !== undefined)
    return { ...args, since: result["since"] };
  if (result["hasMore"] !== true) return undefined;
  const items = Object.values(result).find((member) => Array.isArray(member));
  if (!Array.isArray(items) || items.length === 0) return undefined;
  return { ...args, offset: Number(args["offset"] ?? 0) + items.length };
}

/** How many events can wait for a slow program. More events could exhaust the program's memory. */
const longestQueue = 10_000;

/**
 * Turns events for a listener into an async generator. Receives events from now on, even before the loop
 * starts. Ends when `stop` fires.
 */
export function eachEvent<Event>(
  subscribe: (listener: (event: Event) => void) => () => void,
  stop: AbortSignal,
): AsyncGenerator<Event, void, void> {
  const waiting: Event[] = [];
  let lost = 0;
  let wake = (): void => {};
  const unsubscribe = subscribe((event) => {
    if (waiting.length < longestQueue) waiting.push(event);
    else lost += 1;
    wake();
  });
  const end = (): void => {
    stop.removeEventListener("abort", onStop);
    unsubscribe();
  };
  const onStop = (): void => {
    end();
    wake();
  };
  if (stop.aborted) end();
  else stop.addEventListener("abort", onStop);

  async function* read(): AsyncGenerator<Event, void, void> {
    try {
      while (!stop.aborted || waiting.length > 0) {
        const event = waiting.shift();
        if (event !== undefined) yield event;
        else if (lost > 0)
          throw new Error(`${lost} events were lost because the loop did not read them in time.`);
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
            if (stop.aborted) resolve();
          });
      }
    } finally {
      end();
    }
  }

  const events = read();
  const leave = events.return.bind(events);
  // A generator that was never started does not run its `finally`.
  events.return = (value) => {
    end();
    return leave(value);
  };
  return events;
}
