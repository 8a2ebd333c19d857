import type { Edit, LineHash } from "../actions/action.ts";
import type { Address } from "../ledger/thought.ts";

/** An edit, as recorded by one session. */
export type SessionEdit = Edit & {
  sessionId: string;
  at: string;
  branchId?: string | undefined;
  /** The last thought before the edit. */
  after?: Address | undefined;
};

/** A unique edit, with every session that contains it. Resumed and forked sessions repeat earlier edits. */
export type KnownEdit = {
  id: string;
  edit: Edit;
  /** Milliseconds since 1970. */
  time: number;
  /** Where sessions contain the edit, in the order of the given edits. */
  places: readonly Pick<SessionEdit, "sessionId" | "branchId" | "after">[];
  /** Sessions that share earlier edits have the same lineage. */
  lineage: string;
};

/** Groups edits by call, and groups sessions that share calls into lineages. */
export function gatherEdits(all: readonly SessionEdit[]): KnownEdit[] {
  const found = new Map<string, SessionEdit[]>();
  for (const edit of all) {
    const id = editId(edit);
    const same = found.get(id);
    if (!same) found.set(id, [edit]);
    else if (!same.some(({ sessionId }) => sessionId === edit.sessionId)) same.push(edit);
  }
  const lineages = createLineages();
  for (const same of found.values())
    for (const { sessionId } of same) lineages.join(same[0]?.sessionId ?? sessionId, sessionId);
  return [...found].flatMap(([id, same]) => {
    const [first] = same;
    return first
      ? [{ id, edit: first, time: Date.parse(first.at), places: same, lineage: lineages.of(first.sessionId) }]
      : [];
  });
}

/** Identifies an edit by call, file and size, because call IDs may be the same in different sessions. */
const editId = ({ call, part, path, lines, removed }: Edit): string =>
  `${call}/${part}/${lines.length}/${removed.length}/${path}`;

function createLineages() {
  const parents = new Map<string, string>();
  function of(session: string): string {
    let root = session;
    for (let next = parents.get(root); next !== undefined && next !== root; next = parents.get(root))
      root = next;
    parents.set(session, root);
    return root;
  }
  return {
    of,
    join(one: string, other: string): void {
      const [first = one, second = first] = [of(one), of(other)].sort();
      parents.set(second, first);
    },
  };
}

/** Returns the last part of a path, on any system. */
export const fileName = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);

const mostNames = 40;

/**
 * Returns the longest suffix of a recorded path that is in the repository. The prefix differs in worktrees
 * and on other machines.
 */
export function repositoryPath(written: string, isKnown: (path: string) => boolean): string | undefined {
  return pathEnds(written).find(isKnown);
}

/** Returns the suffixes of a recorded path, longest first. */
export function pathEnds(written: string): string[] {
  const names = written.split(/[/\\]+/).filter((name) => name !== "" && name !== ".");
  const near = names.slice(-mostNames);
  return near.includes("..") ? pathsWithoutUp(near) : near.map((_, from) => near.slice(from).join("/"));
}

/** Resolves `a/../b` to `b`. Drops `..` segments that lead above the first segment. */
function pathsWithoutUp(names: readonly string[]): string[] {
  const kept: string[] = [];
  for (const name of names) {
    if (name === "..") kept.pop();
    else kept.push(name);
  }
  return kept.map((_, from) => kept.slice(from).join("/"));
}

/** A line of an edit. */
export type Occurrence = { known: KnownEdit; index: number };
export type Occurrences = ReadonlyMap<LineHash, readonly Occurrence[]>;

/** Indexes the lines that edits wrote. If `only` is absent, indexes all lines. */
export function indexWritten(
  edits: readonly KnownEdit[],
  { longOnly = false, only }: { longOnly?: boolean; only?: ReadonlySet<LineHash> | undefined } = {},
): Occurrences {
  const index = new Map<LineHash, Occurrence[]>();
  for (const known of edits) {
    const { lines } = known.edit;
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at];
      if (!line?.written || (longOnly && !line.long) || (only && !only.has(line.hash))) continue;
      const list = index.get(line.hash);
      if (list) list.push({ known, index: at });
      else index.set(line.hash, [{ known, index: at }]);
    }
  }
  return index;
}

/** Maps each line to the time when an edit first contained it as context. */
export function indexShown(edits: readonly KnownEdit[]): ReadonlyMap<LineHash, number> {
  const index = new Map<LineHash, number>();
  for (const { edit, time } of edits)
    for (const { hash, written, long } of edit.lines)
      if (!written && long && time < (index.get(hash) ?? Number.POSITIVE_INFINITY)) index.set(hash, time);
  return index;
}
