import type { ConflictSide, ConflictsAnswer, MemoryConflict } from "../../wire-memory.ts";
import type { Query } from "../answer.ts";
import { type MemorySource, wholeAnswer } from "./memory-source.ts";

const maxShown = 50;

type Line = { conflict_id: string };
type Side = Record<string, unknown> | null | undefined;
type Shown = Pick<MemoryConflict, "conflict_id" | "kind" | "key" | "status"> &
  Partial<Pick<MemoryConflict, "from" | "into" | "doc" | "created_at_ms">> & {
    base?: Side;
    ours?: Side;
    theirs?: Side;
  };

/** Conflicts in full, each with the two calls that settle it. */
export async function answerConflicts(source: MemorySource, query: Query): Promise<ConflictsAnswer> {
  const { ask } = source;
  const workspace = query.text("workspace") ?? source.workspace;
  const named = { workspace: query.text("workspace") };
  const into = query.text("into") ?? (await readCheckout(source, query));
  if (into === undefined) return { workspace, into: "", conflicts: [] };
  const { conflicts } = (await ask("graph_conflicts", {
    ...named,
    into,
    doc: query.text("doc"),
    status: query.text("status") ?? "open",
    limit: maxShown,
    ...wholeAnswer,
  })) as { conflicts: Line[] };
  const shown: MemoryConflict[] = [];
  for (const { conflict_id } of conflicts) {
    const { conflict } = await ask("graph_conflict_show", { ...named, conflict_id, ...wholeAnswer });
    shown.push(toConflict(conflict as Shown, workspace));
  }
  return { workspace, into, conflicts: shown };
}

async function readCheckout({ ask }: MemorySource, query: Query): Promise<string | undefined> {
  const { checkout } = await ask("branch_list", { workspace: query.text("workspace"), limit: 1 });
  return typeof checkout === "string" ? checkout : undefined;
}

function toConflict(conflict: Shown, workspace: string): MemoryConflict {
  const { conflict_id, kind, key, status, from = "", into = "", doc = "", created_at_ms = 0 } = conflict;
  const settle = (resolution: string) => ({
    operation: "graph_conflict_resolve",
    args: { workspace, conflict_id, resolution },
  });
  return {
    conflict_id,
    kind,
    key,
    from,
    into,
    doc,
    status,
    base: toSide(conflict.base),
    ours: toSide(conflict.ours),
    theirs: toSide(conflict.theirs),
    created_at_ms,
    keepOurs: settle("use_into"),
    takeTheirs: settle("use_from"),
  };
}

/** The id stands above the table, and that nothing was deleted goes without saying. */
function toSide(side: Side): ConflictSide {
  if (!side) return null;
  const fields = Object.entries(side).filter(
    ([name, value]) => value !== undefined && value !== null && value !== false && name !== "id",
  );
  return Object.fromEntries(fields.map(([name, value]) => [name, toText(value)]));
}

function toText(value: unknown): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) && value.every((item) => typeof item === "string")
    ? value.join(", ")
    : JSON.stringify(value);
}
