import { randomUUID } from "node:crypto";
import { type Binding, createBinding } from "../operations/pipeline/context.ts";

/** The limit for one connection. */
const mostConversations = 100;

/** The state of a legacy connection, kept separately for each conversation over it. */
export type Bindings = {
  of(conversation: string | undefined): Binding;
  /** Applies changes that other servers have made. */
  take(stored: ReadonlyMap<string, Fields>): void;
  /** Call before an answer is sent, because the next request may reach another server. */
  save(): Promise<void>;
};

type Fields = Readonly<Record<string, unknown>>;

/** How servers that share a connection store its bindings. */
export type SharedBindings = {
  /** Returns the same ID on every server. */
  idOf(conversation: string): string;
  change(conversation: string, fields: Fields): Promise<void>;
  onError(thrown: unknown): void;
};

/** `stored`: the last stored version that this server knows. */
type Known = { binding: Binding; stored: Record<string, unknown> };

/** Without `shared`, bindings are known only to this process. */
export function openBindings(shared?: SharedBindings): Bindings {
  const known = new Map<string, Known>();

  function open(conversation: string): Known {
    const id = shared ? shared.idOf(conversation) : randomUUID();
    return { binding: { ...createBinding(), id }, stored: { ...createBinding(), id } };
  }

  function find(conversation: string): Known {
    const found = known.get(conversation) ?? open(conversation);
    // Keeps the most recently used ones.
    known.delete(conversation);
    known.set(conversation, found);
    const [oldest] = known.keys();
    if (known.size > mostConversations && oldest !== undefined) known.delete(oldest);
    return found;
  }

  return {
    of: (conversation = "") => find(conversation).binding,
    take(changed) {
      for (const [conversation, theirs] of changed) {
        const { binding, stored } = find(conversation);
        for (const field of new Set([...Object.keys(stored), ...Object.keys(theirs)])) {
          const theirValue = theirs[field] ?? initial[field];
          // A call in progress may have changed it without saving it yet.
          const isOurs = !isSame((binding as Fields)[field], stored[field]);
          if (!isOurs && field !== "id") Object.assign(binding, { [field]: theirValue });
          if (field !== "id") stored[field] = theirValue;
        }
      }
    },
    async save() {
      if (!shared) return;
      for (const [conversation, { binding, stored }] of known) {
        const fields = changedFields(binding, stored);
        if (Object.keys(fields).length === 0) continue;
        try {
          await shared.change(conversation, fields);
          Object.assign(stored, fields);
        } catch (thrown) {
          // The call itself succeeded. The next one tries again.
          shared.onError(thrown);
        }
      }
    },
  };
}

const initial: Fields = createBinding();

function changedFields(binding: Fields, stored: Fields): Fields {
  const names = [...new Set([...Object.keys(stored), ...Object.keys(binding)])];
  const changed = names.filter((name) => !isSame(binding[name], stored[name]));
  return Object.fromEntries(changed.map((name) => [name, binding[name] ?? null]));
}

/** An absent field equals one without a value. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
