import * as z from "zod";
import { actionTypes, type Change } from "../../../domain/actions/action.ts";
import { describeAction } from "../../../domain/actions/describe-action.ts";
import { addressSchema } from "../../../domain/ledger/thought.ts";
import type { Actions, StoredAction } from "../../../ports/actions.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { shortens } from "../../pipeline/fit/fit.ts";
import { quoteRecorded, recordedSchema } from "../linked-sessions.ts";

export const shownActionSchema = z.strictObject({
  type: z.enum(actionTypes),
  call: z.string(),
  at: z.string(),
  tool: z.string(),
  /** A summary on one line. */
  summary: z.string(),
  branchId: z.string().optional(),
  after: addressSchema.optional(),
  took: z.int().optional(),
  /** The files that the agent read in a row. */
  paths: z.array(z.string()).optional(),
  path: z.string().optional(),
  from: z.string().optional(),
  change: z.enum(["edit", "create", "delete"]).optional(),
  written: z.int().optional(),
  removed: z.int().optional(),
  command: z.string().optional(),
  failed: z.literal(true).optional(),
  exit: z.int().optional(),
  tests: z.literal(true).optional(),
  results: z.strictObject({ failed: z.int(), passed: z.int() }).optional(),
  commit: z.string().optional(),
  said: z.string().optional(),
  /** Set if the notice stopped the call once. */
  denied: z.literal(true).optional(),
  /** True if the agent made the call despite the notice. */
  wentOn: z.boolean().optional(),
  /** A thought that the agent recorded with this call, in its own session. */
  recorded: recordedSchema.optional(),
  /** The session from which this session was copied. */
  origin: z.string().optional(),
  how: z.string().optional(),
  fate: z.string().optional(),
  now: z.string().optional(),
});
export type ShownAction = z.infer<typeof shownActionSchema>;

export const readActions = defineOperation({
  name: "read_actions",
  family: "ledger",
  title: "Read actions",
  summary:
    "Lists what the agent did in a captured session: files read, edits, commands with their outcome, commits, and calls the user refused.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "read",
  scope: "session",
  input: {
    type: z.enum(actionTypes).optional().describe("Only actions of this type."),
    limit: z.int().min(1).max(500).default(100).describe("How many to return. Default: 100."),
    after: z
      .int()
      .min(0)
      .max(1_000_000_000_000)
      .default(0)
      .describe("Where to continue: nextAfter from the previous page. Default: 0."),
  },
  output: z.strictObject({
    sessionId: z.string(),
    actions: z.array(shownActionSchema),
    nextAfter: z.int().optional(),
    /** The position of the last action. Actions recorded later have higher positions. */
    last: z.int().optional(),
    /** Sessions that contain the same calls: the forks of this session, or the session that it continues. */
    sharedWith: z.array(z.string()).optional(),
  }),
  fit: shortens("actions"),
  errors: ["SESSION_NOT_FOUND", "STORAGE_ERROR"],
  examples: [
    { title: "of one session", given: "an imported transcript", input: { sessionId: "$session" } },
    {
      title: "only edits",
      given: "an imported transcript",
      input: { sessionId: "$session", type: "edit", limit: 20 },
    },
  ],

  async handle({ type, limit, after }, context) {
    const { actions, callerState } = context;
    const { sessionId } = callerState;
    const { project } = callerState.session;
    const found = await actions.readOfSession(sessionId, { after, limit: limit + 1, type });
    const page = found.slice(0, limit);
    const sharedWith = await actions.findRelated(sessionId, 20);
    const next = found.length > limit ? page.at(-1)?.order : undefined;
    const noticed = page.flatMap(({ action }) => (action.type === "notice" ? [action.call] : []));
    const made = await findMade(actions, sessionId, noticed);
    const shown = await Promise.all(
      page.map(async (stored) => {
        const { recorded, ...action } = showAction(stored);
        if (action.type === "notice") return { ...action, wentOn: made.has(action.call) };
        return recorded ? { ...action, recorded: await quoteRecorded(context, project, recorded) } : action;
      }),
    );
    return {
      sessionId,
      actions: shown,
      ...(next !== undefined && { nextAfter: next }),
      ...(page.length > 0 && { last: page.at(-1)?.order }),
      ...(sharedWith.length > 0 && { sharedWith }),
    };
  },
});

/** Finds the calls that were made. Omits calls that the user refused or the agent skipped. */
export async function findMade(
  actions: Pick<Actions, "findCalls">,
  sessionId: string,
  calls: readonly string[],
): Promise<ReadonlySet<string>> {
  if (calls.length === 0) return new Set();
  const found = await actions.findCalls(sessionId, calls);
  return new Set(
    found.flatMap(({ action }) => (action.type === "edit" || action.type === "command" ? [action.call] : [])),
  );
}

export function showAction({ action }: StoredAction): ShownAction {
  const { type, call, at, tool, took, branchId, after } = action;
  const common = {
    type,
    call,
    at,
    tool,
    ...(took !== undefined && { took }),
    summary: describeAction(action),
    ...(branchId !== undefined && { branchId }),
    ...(after && { after }),
  };
  switch (action.type) {
    case "edit":
      return { ...common, change: action.change, ...showChange(action) };
    case "command": {
      const { command, failed, exit, tests, results, commit } = action;
      return {
        ...common,
        command,
        ...(failed && { failed }),
        ...(exit !== undefined && { exit }),
        ...(tests && { tests }),
        ...(results && { results: { ...results } }),
        ...(commit !== undefined && { commit }),
      };
    }
    case "refusal": {
      const { command, said, change } = action;
      return { ...common, command, said, ...(change && showChange(change)) };
    }
    case "record":
      return { ...common, recorded: action.recorded };
    case "read":
      return { ...common, paths: [...action.paths] };
    case "fork":
      return { ...common, origin: action.origin };
    case "commit": {
      const { commit, how, fate, now } = action;
      return {
        ...common,
        commit,
        how,
        ...(fate !== undefined && { fate }),
        ...(now !== undefined && { now }),
      };
    }
    case "notice":
      return {
        ...common,
        command: action.command,
        said: action.said,
        ...(action.denied && { denied: action.denied }),
      };
  }
}

const showChange = ({ path, from, lines, removed }: Change) => ({
  path,
  ...(from !== undefined && { from }),
  written: lines.filter(({ written }) => written).length,
  removed: removed.length,
});
