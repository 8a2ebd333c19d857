export type Changes = {
  /** `key` is the field's name, or `undefined` for a list item. */
  member(value: unknown, key: string | undefined): unknown;
  key(name: string): string;
};

/** Changes the members and field names of a list or object. Returns the same value if nothing changed. */
export function mapMembers(value: unknown, change: Changes): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return mapItems(value, change);
  const fields = value as Record<string, unknown>;
  const names = Object.keys(fields);
  /** Created when the first member changes, because most answers need no copy. */
  let changed: [string, unknown][] | undefined;
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] ?? "";
    const before = fields[name];
    const shown = change.key(name);
    const after = change.member(before, name);
    if (!changed && (shown !== name || after !== before))
      changed = names.slice(0, at).map((earlier) => [earlier, fields[earlier]]);
    changed?.push([shown, after]);
  }
  return changed ? Object.fromEntries(changed) : value;
}

function mapItems(items: readonly unknown[], change: Changes): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (let at = 0; at < items.length; at += 1) {
    const before = items[at];
    const after = change.member(before, undefined);
    if (after === before) continue;
    changed ??= [...items];
    changed[at] = after;
  }
  return changed ?? items;
}
