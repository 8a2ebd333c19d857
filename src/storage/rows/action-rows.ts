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

/** Where an action is in its session: the columns `branch_id`, `after_branch`, `after_number` of `session_actions`. */
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

/** A row of `actions` joined with one of `session_actions` (`lid` and its place) and the session's `id`. */
export function decodeAction(row: Row): StoredAction {
  const after = decodeAddress(row["after_branch"], row["after_number"]);
  const text = (name: string, column: string) => (row[column] == null ? {} : { [name]: String(row[column]) });
  const record = {
    ...parseColumn<Partial<ActionRecord>>(row["body"]),
    type: String(row["type"]),
    call: String(row["call_id"]),
    part: Number(row["part"]),
    tool: String(row["tool"]),
    at: String(row["at"]),
    ...(row["branch_id"] !== "" && { branchId: String(row["branch_id"]) }),
    ...(after && { after }),
    ...text("path", "path"),
    ...text("from", "moved_from"),
    ...text("change", "change"),
    ...text("lines", "lines"),
    ...text("removed", "removed"),
  } as ActionRecord;
  return {
    order: Number(row["lid"]),
    sessionId: String(row["id"]),
    key: String(row["key"]),
    action: fromRecord(record),
  };
}

export const decodeEditPlace = (row: Row): EditPlace => ({
  call: String(row["call_id"]),
  part: Number(row["part"]),
  thoughtNumber: Number(row["after_number"]),
});
