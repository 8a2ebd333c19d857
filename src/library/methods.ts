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

/** The memory's fields have underscores. Methods accept camelCase. */
const toField = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function createMethods(
  call: Connection["call"],
  fieldsOf: (operation: string) => Set<string>,
): Methods {
  const method =
    (operation: string) =>
    (args: Record<string, unknown> = {}, options?: CallOptions) => {
      const fields = fieldsOf(operation);
      const spelled = Object.entries(args).map(([name, value]) => [
        fields.has(name) || !fields.has(toField(name)) ? name : toField(name),
        value,
      ]);
      return (call as Call)(operation, Object.fromEntries(spelled), options);
    };
  const build = (named: string | object): unknown =>
    typeof named === "string"
      ? method(named)
      : Object.fromEntries(Object.entries(named).map(([name, inner]) => [name, build(inner)]));
  return build(names) as Methods;
}

/**
 * The arguments for the next page, or `undefined` after the last one. A list shows that it continues with a cursor, an
 * offset in a text, the newest item, or `hasMore`.
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

/** How many events can wait for a slow program. More could exhaust its memory. */
const longestQueue = 10_000;

/** Turns events for a listener into an async generator. Ends with `stop`. */
export async function* eachEvent<Event>(
  subscribe: (listener: (event: Event) => void) => () => void,
  stop: AbortSignal,
): AsyncGenerator<Event, void, void> {
  const waiting: Event[] = [];
  let lost = 0;
  let wake = (): void => {};
  const end = subscribe((event) => {
    if (waiting.length < longestQueue) waiting.push(event);
    else lost += 1;
    wake();
  });
  const onStop = (): void => wake();
  stop.addEventListener("abort", onStop);
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
    stop.removeEventListener("abort", onStop);
    end();
  }
}
