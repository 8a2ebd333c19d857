import * as z from "zod";
import { maskForExport } from "../../kernel/secrets/secrets-policy.ts";
import { sha256Hex } from "../../kernel/sha256.ts";
import { type Address, addressSchema } from "../ledger/thought.ts";
import {
  type Action,
  actionLimits,
  actionTypes,
  type Change,
  packHashes,
  packLines,
  unpackHashes,
  unpackLines,
} from "./action.ts";

/**
 * An action in a session, stored beside its thoughts and outside their hash. A forked or resumed session also
 * contains the actions of the earlier session.
 */
export type KeptAction = Action & {
  at: string;
  /** Set if the action belongs to a sub-agent or an undone turn. */
  branchId?: string | undefined;
  /** The last thought before this action. */
  after?: Address | undefined;
};

const base64 = (bytes: number) =>
  z
    .string()
    .max(Math.ceil(bytes / 3) * 4)
    .regex(/^[A-Za-z0-9+/]*={0,2}$/);
const count = z.int().min(0).max(1_000_000_000);
const word = z.string().min(1).max(actionLimits.path);

/** An action as JSON. Lines are packed, nine bytes each. */
export const actionRecordSchema = z.strictObject({
  type: z.enum(actionTypes),
  call: z.string().min(1).max(200),
  part: z.int().min(0).max(actionLimits.parts),
  tool: z.string().max(200),
  at: z.iso.datetime({ offset: true }),
  branchId: z.string().min(1).max(200).optional(),
  after: addressSchema.optional(),
  took: z.int().min(0).max(actionLimits.took).optional(),
  change: z.enum(["edit", "create", "delete"]).optional(),
  paths: z.array(word).max(actionLimits.paths).optional(),
  path: word.optional(),
  from: word.optional(),
  lines: base64(actionLimits.lines * 9).optional(),
  removed: base64(actionLimits.lines * 8).optional(),
  command: z
    .string()
    .max(4 * actionLimits.command)
    .optional(),
  failed: z.boolean().optional(),
  denied: z.boolean().optional(),
  exit: z.int().min(-1_000_000).max(1_000_000).optional(),
  tests: z.literal(true).optional(),
  results: z.strictObject({ failed: count, passed: count }).optional(),
  commit: z.string().max(64).optional(),
  said: z
    .string()
    .max(4 * actionLimits.said)
    .optional(),
  origin: z.string().min(1).max(200).optional(),
  how: z.enum(["edits", "trailer"]).optional(),
  fate: z.enum(["rebased", "vanished"]).optional(),
  now: z.string().max(64).optional(),
  recorded: addressSchema.extend({ sessionId: z.string().min(1).max(200) }).optional(),
});
export type ActionRecord = z.infer<typeof actionRecordSchema>;

export function toRecord(action: KeptAction): ActionRecord {
  const { type, call, part, tool, took, at, branchId, after } = action;
  const common = {
    type,
    call,
    part,
    tool,
    ...(took !== undefined && { took }),
    at,
    ...(branchId !== undefined && { branchId }),
    ...(after && { after }),
  };
  switch (action.type) {
    case "edit":
      return { ...common, change: action.change, ...packChange(action) };
    case "command": {
      const { command, failed, exit, tests, results, commit } = action;
      return {
        ...common,
        command,
        failed,
        ...(exit !== undefined && { exit }),
        ...(tests && { tests }),
        ...(results && { results }),
        ...(commit !== undefined && { commit }),
      };
    }
    case "refusal": {
      const { command, said, change } = action;
      return { ...common, command, said, ...(change && packChange(change)) };
    }
    case "record":
      return { ...common, recorded: action.recorded };
    case "read":
      return { ...common, paths: [...action.paths] };
    case "fork":
      return { ...common, origin: action.origin };
    case "commit": {
      const { commit, command, how, origin, fate, now } = action;
      return {
        ...common,
        commit,
        command,
        how,
        origin,
        ...(fate !== undefined && { fate }),
        ...(now !== undefined && { now }),
      };
    }
    case "notice":
      return { ...common, command: action.command, said: action.said, denied: action.denied };
  }
}

const packChange = ({ path, from, lines, removed }: Change) => ({
  path,
  ...(from !== undefined && { from }),
  lines: toText(packLines(lines)),
  removed: toText(packHashes(removed)),
});

const toText = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

export function fromRecord(record: ActionRecord): KeptAction {
  const { type, call, part, tool, took, at, branchId, after, command = "" } = record;
  const common = {
    call,
    part,
    tool,
    ...(took !== undefined && { took }),
    at,
    ...(branchId !== undefined && { branchId }),
    ...(after && { after }),
  };
  const change = unpackChange(record);
  switch (type) {
    case "edit":
      return {
        type,
        ...common,
        change: record.change ?? "edit",
        ...(change ?? { path: "", lines: [], removed: [] }),
      };
    case "command": {
      const { failed = false, exit, tests = false, results, commit } = record;
      return {
        type,
        ...common,
        command,
        failed,
        tests,
        ...(results && { results }),
        ...(exit !== undefined && { exit }),
        ...(commit !== undefined && { commit }),
      };
    }
    case "refusal":
      return { type, ...common, command, said: record.said ?? "", ...(change && { change }) };
    case "record":
      return { type, ...common, recorded: record.recorded ?? { sessionId: "", thoughtNumber: 0 } };
    case "read":
      return { type, ...common, paths: record.paths ?? [] };
    case "fork":
      return { type, ...common, origin: record.origin ?? "" };
    case "commit": {
      const { commit = "", how = "edits", origin = "", fate, now } = record;
      return {
        type,
        ...common,
        commit,
        command,
        how,
        origin,
        ...(fate !== undefined && { fate }),
        ...(now !== undefined && { now }),
      };
    }
    case "notice":
      return { type, ...common, command, said: record.said ?? "", denied: record.denied ?? false };
  }
}

function unpackChange({ path, from, lines = "", removed = "" }: ActionRecord): Change | undefined {
  if (path === undefined) return undefined;
  return {
    path,
    ...(from !== undefined && { from }),
    lines: unpackLines(Buffer.from(lines, "base64")),
    removed: unpackHashes(Buffer.from(removed, "base64")),
  };
}

/**
 * Identifies an action. Clients do not guarantee that call IDs are unique, so the key includes what the
 * action did. The key omits secrets, because a setting determines whether secrets are stored.
 */
export function actionKey({
  type,
  call,
  part,
  change,
  path,
  from,
  lines,
  removed,
  command,
  origin,
  paths,
}: ActionRecord): string {
  const done = [type, call, part, change, path, from, lines, removed, command && maskForExport(command)];
  if (origin !== undefined) done.push(origin);
  if (paths) done.push(JSON.stringify(paths));
  return sha256Hex(JSON.stringify(done)).slice(0, 32);
}
