import { abandonedBefore } from "../../domain/ledger/session.ts";
import type { SessionQuery } from "../../ports/ledger-store.ts";

/** The conditions that are spelled differently in each database. */
type Dialect<Value> = {
  /** Matches sessions with at least this many of the tags. */
  carries(tags: readonly string[], atLeast: number): [part: string, ...values: Value[]];
  /** Matches sessions whose heading contains the words. */
  matches(search: string): [part: string, ...values: Value[]];
  /** Matches sessions that were last changed at or after this time, or before it. */
  changed(when: ">=" | "<", at: string): [part: string, ...values: Value[]];
};

/** Returns the conditions for the sessions `s` in a list, with the values in placeholder order. */
export function sessionFilters<Value>(
  query: SessionQuery,
  now: Date,
  { carries, matches, changed }: Dialect<Value | string>,
): { where: string; values: (Value | string)[] } {
  const { project, tags, tagMode, requiredTags, search, status } = query;
  const parts = ["s.deleted_at IS NULL"];
  const values: (Value | string)[] = [];
  const add = (part: string, ...more: (Value | string)[]) => {
    parts.push(part);
    values.push(...more);
  };
  if (project !== undefined) add("s.project = ?", project);
  const chosen = [...new Set(tags)];
  if (chosen.length > 0) add(...carries(chosen, tagMode === "all" ? chosen.length : 1));
  const required = [...new Set(requiredTags)];
  if (required.length > 0) add(...carries(required, required.length));
  if (search !== undefined) add(...matches(search));
  if (status === "completed") add("s.status = 'completed'");
  if (status === "active" || status === "abandoned") {
    add("s.status = 'active'");
    add(...changed(status === "active" ? ">=" : "<", abandonedBefore(now)));
  }
  return { where: parts.join(" AND "), values };
}
