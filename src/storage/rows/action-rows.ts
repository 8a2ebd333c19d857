import {
  type ActionRecord,
  actionKey,
  fromRecord,
  type KeptAction,
  toRecord,
} from "../../domain/actions/kept-action.ts";
import type { EditPlace, StoredAction } from "../../ports/actions.ts";
import { decodeAddress, toColumn } from "./ledger-rows.ts";
import { parseColumn, type Row } from "./row.ts";

/** The columns of `actions`, in the order of `actionColumns`. */
export const actionColumnNames =
  "key, type, call_id, part, tool, at, path, moved_from, change, lines, removed, body";

/**
 * Returns an action's place: the `branch_id`, `after_branch` and `after_number` columns of `session_actions`.
 */
export function placeColumns({ branchId, after }: KeptAction) {
  return after
    ? ([toColumn(branchId), toColumn(after.branchId), after.thoughtNumber] as const)
    : ([toColumn(branchId), null, null] as const);
}

export function actionColumns(action: KeptAction) {
  const record = toRecord(action);
  const { type, call, part, tool, at, path, from, change, lines, removed, ...rest } = record;
  const { branchId: _branch, after: _after, ...body } = rest;
  const [file, before, kind, now, gone] = [path, from, change, lines, removed].map((text) => text ?? null);
  return [
    actionKey(record),
    ...([type, call, part, tool, at] as const),
    ...([file ?? null, before ?? null, kind ?? null, now ?? null, gone ?? null] as const),
    JSON.stringify(body),
  ] as const;
}

/** Decodes a row of `actions` joined with `session_actions` (`lid` and place) and the session's `id`. */
export const decodeAction = (row: Row): StoredAction => placeAction(row, decodeContent(row));

/** Decodes what an action did from a row in `actions`. Omits the action's place in a session. */
function decodeContent(row: Row): KeptAction {
  const text = (name: string, column: string) => (row[column] == null ? {} : { [name]: String(row[column]) });
  return fromRecord({
    ...parseColumn<Partial<ActionRecord>>(row["body"]),
    type: String(row["type"]),
    call: String(row["call_id"]),
    part: Number(row["part"]),
    tool: String(row["tool"]),
    at: String(row["at"]),
    ...text("path", "path"),
    ...text("from", "moved_from"),
    ...text("change", "change"),
    ...text("lines", "lines"),
    ...text("removed", "removed"),
  } as ActionRecord);
}

function placeAction(row: Row, content: KeptAction): StoredAction {
  const after = decodeAddress(row["after_branch"], row["after_number"]);
  const action: KeptAction = {
    ...content,
    ...(row["branch_id"] !== "" && { branchId: String(row["branch_id"]) }),
    ...(after && { after }),
  };
  return { order: Number(row["lid"]), sessionId: String(row["id"]), key: String(row["key"]), action };
}

const keptLines = 100_000;

/**
 * Caches the contents of recently read actions. An action never changes, and readers of a file request the same ones
 * repeatedly, so it is enough to read their keys.
 */
export function createKnownActions() {
  const known = new Map<string, KeptAction>();
  let lines = 0;
  const nameOf = (row: Row): string => `${row["key"]} ${row["at"]}`;
  const sizeOf = (action: KeptAction): number =>
    action.type === "edit" ? 1 + action.lines.length + action.removed.length : 1;
  return {
    /** Returns the `aid` of each action that still has to be read. */
    missing: (rows: readonly Row[]): number[] =>
      rows.flatMap((row) => (known.has(nameOf(row)) ? [] : [Number(row["aid"])])),
    /** Decodes actions. `rows` contains keys and places, and `read` contains the rows that were missing. */
    decode(rows: readonly Row[], read: readonly Row[]): StoredAction[] {
      const fresh = new Map(read.map((row) => [nameOf(row), decodeContent(row)]));
      const stored = rows.flatMap((row) => {
        const content = fresh.get(nameOf(row)) ?? known.get(nameOf(row));
        return content ? [placeAction(row, content)] : [];
      });
      for (const [name, action] of fresh) {
        known.set(name, action);
        lines += sizeOf(action);
      }
      for (const [name, action] of known) {
        if (lines <= keptLines) break;
        known.delete(name);
        lines -= sizeOf(action);
      }
      return stored;
    },
  };
}

export const decodeEditPlace = (row: Row): EditPlace => ({
  call: String(row["call_id"]),
  part: Number(row["part"]),
  thoughtNumber: Number(row["after_number"]),
});
