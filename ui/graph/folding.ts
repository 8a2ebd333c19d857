import { type Columns, NONE } from "../model/columns.ts";

export const isSameFold = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((id) => b.has(id));

/** Returns the fork of the first branch that is folded in only one of the two sets. */
export function forkOfChange(
  columns: Columns,
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
): number {
  for (const id of [...before, ...after])
    if (before.has(id) !== after.has(id)) return columns.chains[columns.chainOf(id) ?? -1]?.fork ?? NONE;
  return NONE;
}
