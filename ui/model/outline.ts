import { type Columns, MAIN, NONE } from "./columns.ts";

type Place = {
  /** The indentation: 0 for the main line. */
  depth: number;
  /** `aria-level`, `aria-posinset` and `aria-setsize` of the tree. */
  level: number;
  position: number;
  setSize: number;
};

/** A thought, or the heading of a branch below the thought that it forks from. */
export type OutlineRow =
  | (Place & { kind: "thought"; thought: number; chain: number; isLast: boolean })
  | (Place & { kind: "branch"; chain: number; isOpen: boolean });

type Walk = { chain: number; depth: number; thoughts: readonly number[]; next: number };
type Waiting = { chain: number; depth: number; position: number; setSize: number };

/**
 * Lists a session with indentation. A branch follows its fork. Thoughts after `moment` and branches that begin after
 * it are left out. A closed branch shows only its heading. Nesting has no limit, so there is no recursion.
 */
export function outlineRows(columns: Columns, closed: ReadonlySet<string>, moment: number): OutlineRow[] {
  const { chains } = columns;
  const rows: OutlineRow[] = [];
  const stack: (Walk | Waiting)[] = [];

  const walk = (chain: number, depth: number): void => {
    const thoughts = chains[chain]?.thoughts ?? [];
    const shown = (thoughts.at(-1) ?? 0) <= moment ? thoughts : thoughts.filter((i) => i <= moment);
    stack.push({ chain, depth, thoughts: shown, next: 0 });
  };
  // Branches are pushed in reverse, so that all rows of the first branch come off the stack before the second branch's
  // heading.
  const queueBranches = (fork: number, depth: number): void => {
    const leaving = columns.forksOf(fork);
    if (leaving.length === 0) return;
    const begun = leaving.filter((chain) => (chains[chain]?.thoughts[0] ?? columns.size) <= moment);
    for (let k = begun.length - 1; k >= 0; k--)
      stack.push({ chain: begun[k] ?? MAIN, depth, position: k + 1, setSize: begun.length });
  };

  queueBranches(NONE, 1);
  walk(MAIN, 0);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const { chain, depth } = top;
    if ("position" in top) {
      stack.pop();
      const isOpen = !closed.has(chains[chain]?.id ?? "");
      const { position, setSize } = top;
      rows.push({ kind: "branch", chain, isOpen, depth, level: 2 * depth, position, setSize });
      if (isOpen) walk(chain, depth);
      continue;
    }
    const thought = top.thoughts[top.next];
    if (thought === undefined) {
      stack.pop();
      continue;
    }
    const position = ++top.next;
    const setSize = top.thoughts.length;
    const isLast = position === setSize;
    rows.push({ kind: "thought", thought, chain, isLast, depth, level: 2 * depth + 1, position, setSize });
    queueBranches(thought, depth + 1);
  }
  return rows;
}
