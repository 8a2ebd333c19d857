import * as z from "zod";
import { addressSchema, nodeId } from "../../../domain/ledger/address.ts";
import { limits } from "../../../domain/ledger/limits.ts";
import type { Recovery } from "../../../kernel/errors.ts";
import { count } from "../../../kernel/numbers.ts";
import type { SearchHit } from "../../../ports/ledger-store.ts";
import type { Fail, OperationContext } from "../../pipeline/context.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { cipherType, limit, offset, project, sessionId, tags } from "../../pipeline/fields.ts";
import { pages } from "../../pipeline/fit/fit.ts";
import { findOwnWorkspace } from "../../pipeline/workspace.ts";
import { projectScope } from "../project-scope.ts";

const moment = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2})?)?$/, {
    error: "a date or date-time such as 2026-11-15 or 2026-11-15T08:00:00Z",
    abort: true,
  })
  .refine((text) => !Number.isNaN(Date.parse(text)), "must be a date that exists");

const noteSchema = z.strictObject({
  workspace: z.string(),
  branch: z.string(),
  doc: z.string(),
  seq: z.int(),
  title: z.string().optional(),
});

export const sessionSearch = defineOperation({
  name: "session.search",
  family: "ledger",
  title: "Search thoughts",
  summary:
    "Finds thoughts by a question in plain words, best first; titles, tags and the memory's notes too.",
  advice:
    'Call it before you begin: it finds what was concluded, tried and rejected before. type:"X" finds dead ends. Read on with open {id} or load_context {sessionId}.',
  toolset: "daily",
  stage: "init_complete",
  effect: "read",
  scope: "caller",
  input: {
    query: z
      .string()
      .min(1)
      .max(limits.query)
      .optional()
      .describe('A question in plain words, or a "quoted phrase"; optional with type.'),
    sessionId: sessionId.optional().describe("Only the thoughts of this session."),
    project: project.optional().describe("Another project, or * for all."),
    tags: tags.optional(),
    type: cipherType.optional(),
    since: moment.optional().describe("Recorded at or after this date or time."),
    until: moment.optional().describe("Recorded at or before this date or time."),
    limit: limit(50, 10),
    offset,
    perSession: z.int().min(1).max(10).optional().describe("At most this many hits of one session, 1–10."),
    order: z.enum(["relevance", "newest"]).default("relevance").describe("Order; default relevance."),
  },
  advanced: ["tags", "since", "until", "offset", "perSession"],
  output: z.strictObject({
    query: z.string().optional(),
    hits: z.array(
      z.strictObject({
        sessionId: z.string().optional(),
        sessionTitle: z.string().optional(),
        id: z.string().optional(),
        thought: addressSchema.optional(),
        note: noteSchema.optional(),
        timestamp: z.string(),
        snippet: z.string(),
        rejected: z.literal(true).optional(),
        revisedBy: addressSchema.optional(),
        score: z.number(),
        matched: z.array(z.string()).optional(),
        nearby: z.array(z.string()).optional(),
        cover: z.number().optional(),
      }),
    ),
    count: z.int(),
    hasMore: z.boolean(),
    relaxed: z.literal(true).optional(),
    weak: z.literal(true).optional(),
    missing: z.array(z.string()).optional(),
    hint: z.string().optional(),
  }),
  fit: pages("hits"),
  errors: ["INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    {
      title: "by a question",
      given: "a session with thoughts",
      input: { sessionId: "$session", query: "why did the login time out" },
    },
    {
      title: "hypotheses only",
      given: "a session with thoughts",
      input: { sessionId: "$session", query: "pool", type: "H" },
    },
    { title: "all dead ends", given: "a session with thoughts", input: { sessionId: "$session", type: "X" } },
  ],

  async handle({ project, since, until, ...query }, context) {
    checkSelection({ ...query, since, until }, context.fail);
    const scope = projectScope(context, project);
    const show = context.settings.secrets.forAnswer;
    const page = await context.ledger.search({
      ...query,
      project: scope,
      workspace: await searchedWorkspace(context, project),
      since: since && toInstant(since, "start"),
      until: until && toInstant(until, "end"),
      hideSecrets: show,
      countElsewhere: query.sessionId === undefined && query.offset === 0 && !context.settings.projectLock,
    });
    if (page.unindexed > 0) {
      context.warn({
        code: "INDEX_BEHIND",
        message: `${page.unindexed} newest thoughts are not searchable yet: the store cannot be written.`,
      });
    }
    const named = new Set<string>();
    return {
      ...(query.query !== undefined && { query: query.query }),
      hits: await Promise.all(
        page.hits.map(async (hit) => ({
          ...showHit(hit, show, named),
          ...((await isRejected(context, hit)) && { rejected: true as const }),
        })),
      ),
      count: page.hits.length,
      hasMore: page.hasMore,
      ...(page.relaxed && { relaxed: true as const }),
      ...(page.weak && { weak: true as const }),
      ...(page.missing.length > 0 && { missing: page.missing }),
      ...(page.elsewhere > 0 && { hint: tellElsewhere(page.elsewhere) }),
    };
  },
});

type Selection = {
  query?: string | undefined;
  type?: string | undefined;
  tags?: readonly string[] | undefined;
  since?: string | undefined;
  until?: string | undefined;
};

const newest: Recovery = {
  hint: "Ask with words, or look at the newest sessions.",
  operation: "list_sessions",
  args: {},
};

function checkSelection(
  { query, type, tags = [], since, until }: Selection,
  fail: Fail<"INVALID_PAYLOAD">,
): void {
  if (query === undefined) {
    if (type === undefined && tags.length === 0 && since === undefined && until === undefined)
      fail("INVALID_PAYLOAD", "Say what to look for: query, or at least type, tags, since or until.", {
        recovery: newest,
      });
  } else if (!/[\p{L}\p{N}]/u.test(query))
    fail("INVALID_PAYLOAD", "query holds no word to look for.", { recovery: newest });
}

/** Notes are searched in the caller's own workspace only. */
async function searchedWorkspace(
  context: OperationContext,
  project: string | undefined,
): Promise<string | undefined> {
  const isElsewhere = project !== undefined && project !== "*" && project !== context.standing.project;
  return isElsewhere ? undefined : findOwnWorkspace(context, context.caller);
}

async function isRejected({ ledger }: OperationContext, { session, address }: SearchHit): Promise<boolean> {
  return session !== undefined && address !== undefined
    ? (await ledger.loadRejections(session.id)).isRejected(address)
    : false;
}

/** A session is named by its first hit. Those that follow have it in their `id`. */
function showHit(
  { session, note, address, matched, nearby, cover, ...hit }: SearchHit,
  show: (title: string) => string,
  named: Set<string>,
) {
  const isFirst = session !== undefined && !named.has(session.id);
  if (session) named.add(session.id);
  return {
    ...(session && (isFirst || !address) && { sessionId: session.id }),
    ...(session && isFirst && { sessionTitle: show(session.title) }),
    ...(session && address && { id: nodeId(session.id, address), thought: address }),
    ...(note && {
      id: `${note.doc}@${note.seq}`,
      note: { ...note, ...(note.title !== undefined && { title: show(note.title) }) },
    }),
    ...hit,
    ...(matched.length > 0 && { matched }),
    ...(nearby.length > 0 && { nearby }),
    ...(cover > 0 && { cover }),
  };
}

type ShownHit = {
  sessionId?: string | undefined;
  sessionTitle?: string | undefined;
  id?: string | undefined;
};

/** The same hits, each with its session. */
export function withSessions<Hit extends ShownHit>(hits: readonly Hit[]): Hit[] {
  const titles = new Map(hits.map(({ sessionId, sessionTitle }) => [sessionId, sessionTitle]));
  return hits.map((hit) => {
    const sessionId = hit.sessionId ?? hit.id?.split(":", 1)[0];
    const sessionTitle = titles.get(sessionId);
    return sessionTitle === undefined ? hit : { ...hit, sessionId, sessionTitle };
  });
}

function tellElsewhere(found: number): string {
  const many = found >= 100 ? "At least 100 thoughts" : count(found, "thought");
  return `${many} of other projects ${found === 1 ? "holds" : "hold"} all the words; project: "*" searches there too.`;
}

/** A bare date covers its whole day. */
function toInstant(text: string, edge: "start" | "end"): string {
  if (text.length > 10)
    return new Date(text.endsWith("Z") || /[+-]\d{2}:\d{2}$/.test(text) ? text : `${text}Z`).toISOString();
  return edge === "start" ? `${text}T00:00:00.000Z` : `${text}T23:59:59.999Z`;
}
