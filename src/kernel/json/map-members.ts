type Changes = {
  /** `key` is the name of a field, `undefined` for an item of a list. */
  member(value: unknown, key: string | undefined): unknown;
  key(name: string): string;
};

/** A list or object with its members and the names of its fields changed; the same value if nothing changed. */
export function mapMembers(value: unknown, change: Changes): unknown {
  if (typeof value !== "object" || value === null) return value;
  let isChanged = false;
  const changed = (member: unknown, key: string | undefined): unknown => {
    const after = change.member(member, key);
    if (after !== member) isChanged = true;
    return after;
  };
  if (Array.isArray(value)) {
    const items = value.map((item) => changed(item, undefined));
    return isChanged ? items : value;
  }
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    const shown = change.key(name);
    if (shown !== name) isChanged = true;
    return [shown, changed(member, name)];
  });
  return isChanged ? Object.fromEntries(members) : value;
}

/** A JSON value with every string in it changed, names of fields included. Depth is the caller's concern. */
export function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  return mapMembers(value, { member: (member) => mapStrings(member, change), key: change });
}
