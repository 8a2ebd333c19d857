import type { ConflictSide, ConflictsAnswer, MemoryConflict } from "../../wire-memory.ts";
import { type Query, wholeAnswer } from "../answer.ts";
import type { MemorySource } from "./memory-source.ts";

const maxShown = 50;

type Line = { conflict_id: string; created_at_ms?: number };
type Side = Record<string, unknown> | null | undefined;
type Shown = Pick<MemoryConflict, "conflict_id" | "kind" | "key" | "status"> &
  Partial<Pick<MemoryConflict, "from" | "into" | "doc" | "created_at_ms">> & {
    base?: Side;
    ours?: Side;
    theirs?: Side;
  };

export async function answerConflicts(source: MemorySource, query: Query): Promise<ConflictsAnswer> {
  const into = query.text("into");
  const asked = {
    workspace: query.text("workspace"),
    into,
    doc: query.text("doc"),
    status: query.text("status"),
  };
  const { total, conflicts } = await readConflicts(source, asked);
  const workspace = query.text("workspace") ?? source.workspace;
  return { workspace, ...(into !== undefined && { into }), total, conflicts };
}

type Asked = Record<"workspace" | "into" | "doc" | "status", string | undefined>;

/**
 * Reads conflicts in full, each with the two calls that settle it. If `into` is absent, reads the conflicts
 * on every branch.
 */
export async function readConflicts(
  { ask, workspace: own }: Pick<MemorySource, "ask" | "workspace">,
  asked: Partial<Asked>,
  isWanted: (line: Line) => boolean = () => true,
): Promise<Pick<ConflictsAnswer, "total" | "conflicts">> {
  const { workspace } = asked;
  const { conflicts, total } = (await ask("graph_conflicts", {
    ...asked,
    status: asked.status ?? "open",
    limit: maxShown,
    ...wholeAnswer,
  })) as { conflicts: Line[]; total?: number };
  const shown: MemoryConflict[] = [];
  for (const { conflict_id } of conflicts.filter(isWanted)) {
    const { conflict } = await ask("graph_conflict_show", { workspace, conflict_id, ...wholeAnswer });
    shown.push(toConflict(conflict as Shown, workspace ?? own));
  }
  return { total: total ?? conflicts.length, conflicts: shown };
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

/** Omits the ID, which is shown above the table, and empty or false fields. */
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
