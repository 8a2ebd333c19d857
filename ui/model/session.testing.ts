import { type Columns, createColumns, NONE } from "./columns.ts";
import type { Link } from "./links.ts";
import { typeCode } from "./thought-types.ts";

type Extra = {
  fork?: number;
  revises?: number;
  links?: (Link & { from?: number })[];
  at?: number;
  text?: string;
};

/** Writes a session as a list of thoughts. A branch opens at `fork` when it is first named. */
export function writeSession() {
  const columns: Columns = createColumns(2);
  const think = (branch: string, letter: string, extra: Extra = {}): number => {
    const chain = columns.openChain(branch, extra.fork ?? NONE);
    const line = columns.chains[chain];
    const parent = line?.thoughts.at(-1) ?? line?.fork ?? NONE;
    return columns.append({
      chain,
      number: 1 + (parent < 0 ? 0 : (columns.number[parent] ?? 0)),
      parent,
      type: typeCode(letter),
      revises: extra.revises ?? NONE,
      time: extra.at ?? columns.size * 1000,
      ...(extra.links && { links: extra.links }),
      text: extra.text ?? `${letter} ${columns.size}`,
    });
  };
  return { columns, think };
}

/** Main line 0 1 2 5 6 9, branch `a` 3 4 from 1 (a dead end), branch `b` 7 8 from 5, nested `c` 10 from 7. */
export function sampleSession() {
  const { columns, think } = writeSession();
  think("", "Q");
  think("", "H");
  think("", "C");
  think("a", "E", { fork: 1 });
  think("a", "X", { links: [{ relation: "rejects", thought: 1 }] });
  think("", "E", { links: [{ relation: "supports", thought: 2 }] });
  think("", "R", { revises: 2 });
  think("b", "E", { fork: 5 });
  think("b", "C");
  think("", "P");
  think("c", "N", { fork: 7 });
  return { columns, think };
}
