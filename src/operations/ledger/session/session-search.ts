import * as z from "zod";
import { limits } from "../../../domain/ledger/limits.ts";
import { addressSchema } from "../../../domain/ledger/thought.ts";
import { workspacePattern } from "../../../domain/memory/limits.ts";
import { type MemoryHit, memoryKinds, mergeHits } from "../../../domain/search/memory-hits.ts";
import type { Recovery } from "../../../kernel/errors.ts";
import { count } from "../../../kernel/numbers.ts";
import type { SearchHit, SearchPage, SearchQuery } from "../../../ports/ledger-store.ts";
import type { Fail, OperationContext } from "../../pipeline/context.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { cipherType, limit, offset, project, sessionId, tags } from "../../pipeline/fields.ts";
import { pages } from "../../pipeline/fit/fit.ts";
import { projectScope } from "../open-session.ts";
import { showHit, showMemory } from "./found-hits.ts";
import { anyWord, searchedProjects, searchedWorkspaces, searchMemory } from "./search-memory.ts";

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

const memorySchema = z.strictObject({
  kind: z.enum(memoryKinds),
  id: z.string(),
  workspace: z.string().optional(),
  type: z.string().optional(),
  status: z.string().optional(),
  title: z.string().optional(),
  branch: z.string().optional(),
  doc: z.string().optional(),
  seq: z.int().optional(),
});

const workspaceOrAny = new RegExp(`${workspacePattern.source}|^\\*$`);

export const sessionSearch = defineOperation({
  name: "session.search",
  family: "ledger",
  title: "Search thoughts",
  summary:
    "Finds thoughts, notes, cards, tasks and the rest of the memory by a question in plain words, best matches first.",
  advice:
    'Call it first to find what was concluded, tried and rejected. type:"X" finds dead ends. Then call open {id} or load_context {sessionId}.',
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
      .describe('A question in plain words, or a "quoted phrase". Optional with type.'),
    sessionId: sessionId.optional().describe("Only thoughts in this session."),
    project: project.optional().describe("Project to search, or * for all."),
    workspace: z
      .string()
      .min(1)
      .max(128)
      .regex(workspaceOrAny, "the name of a workspace, or *")
      .optional()
      .describe(
        "Workspace to search in addition to the thoughts, or * for all in the project. Default: yours.",
      ),
    only: z.enum(["thoughts", "memory"]).optional().describe("Only thoughts, or only the memory."),
    earlier: z.boolean().default(false).describe("Search earlier versions of cards too. Default: false."),
    tags: tags.optional(),
    type: cipherType.optional(),
    since: moment.optional().describe("Recorded at or after this date or time."),
    until: moment.optional().describe("Recorded at or before this date or time."),
    limit: limit(50, 10),
    offset,
    perSession: z.int().min(1).max(10).optional().describe("At most this many hits per session, 1–10."),
    order: z
      .enum(["relevance", "newest"])
      .default("relevance")
      .describe("Order of the hits. Default: relevance."),
  },
  advanced: ["tags", "since", "until", "offset", "perSession", "workspace", "only", "earlier"],
  output: z.strictObject({
    query: z.string().optional(),
    hits: z.array(
      z.strictObject({
        sessionId: z.string().optional(),
        sessionTitle: z.string().optional(),
        id: z.string().optional(),
        thought: addressSchema.optional(),
        note: noteSchema.optional(),
        memory: memorySchema.optional(),
        timestamp: z.string(),
        snippet: z.string(),
        rejected: z.literal(true).optional(),
        superseded: z.literal(true).optional(),
        conflict: z.literal(true).optional(),
        earlier: z.literal(true).optional(),
        revisedBy: addressSchema.optional(),
        score: z.number(),
        matched: z.array(z.string()).optional(),
        nearby: z.array(z.string()).optional(),
      }),
    ),
    count: z.int(),
    hasMore: z.boolean(),
    relaxed: z.literal(true).optional(),
    weak: z.literal(true).optional(),
    /** Words of the question that do not occur near any of these hits. */
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

  async handle({ project, workspace, only, earlier, since, until, ...query }, context) {
    checkSelection({ ...query, since, until }, context.fail);
    const scope = projectScope(context, project);
    const isMemory = only === "memory";
    const workspaces = await searchedWorkspaces(context, {
      workspace,
      project: project && (scope ?? anyWord),
    });
    const show = context.settings.secrets.forAnswer;
    const asked = {
      ...query,
      project: isMemory ? noProject : scope,
      workspace: only === "thoughts" ? undefined : workspaces[0],
      since: since && toInstant(since, "start"),
      until: until && toInstant(until, "end"),
      hideSecrets: show,
      countElsewhere:
        query.sessionId === undefined && query.offset === 0 && !isMemory && !context.settings.projectLock,
    };
    const typed = await context.ledger.search(asked);
    const fallback = asked.type === "X" && typed.hits.length === 0 && query.query !== undefined;
    const page = fallback ? await findRejections(context, asked, typed) : typed;
    if (page.unindexed > 0) {
      context.warn({
        code: "INDEX_BEHIND",
        message: `The newest ${page.unindexed} thoughts are not searchable yet, because the store is not writable.`,
      });
    }
    const named = new Set<string>();
    const showThought = async (hit: SearchHit) => ({
      ...showHit(hit, show, named),
      ...((await isRejected(context, hit)) && { rejected: true as const }),
    });
    const projects = await searchedProjects(context, scope);
    const places = { workspaces, projects };
    const beside = only === "thoughts" ? [] : await searchBeside(context, asked, places, earlier);
    const merged = beside.length === 0 ? undefined : await mergePages(context, asked, page, beside);
    const hits = merged?.hits ?? page.hits;
    const held = new Set(beside.flatMap((list) => list.flatMap(({ matched }) => matched)));
    const missing = page.missing.filter((word) => !held.has(word));
    return {
      ...(query.query !== undefined && { query: query.query }),
      hits: await Promise.all(hits.map((hit) => ("kind" in hit ? showMemory(hit, show) : showThought(hit)))),
      count: hits.length,
      hasMore: merged?.hasMore ?? page.hasMore,
      ...(page.relaxed && { relaxed: true as const }),
      ...(page.weak && beside.length === 0 && { weak: true as const }),
      ...(missing.length > 0 && { missing }),
      ...(page.elsewhere > 0
        ? { hint: tellElsewhere(page.elsewhere) }
        : fallback && page.hits.length > 0 && { hint: rejectionsHint }),
    };
  },
});

const rejectionsHint =
  "No rejected thought contains these words. The hits are the rejected thoughts from the best-matching sessions.";
const rejections = { sessions: 3, perSession: 50 };

/** If no rejected thought contains the words, finds rejected thoughts in the sessions that match best. */
async function findRejections(
  { ledger }: OperationContext,
  asked: SearchQuery,
  typed: SearchPage,
): Promise<SearchPage> {
  const about = await ledger.search({
    ...asked,
    type: undefined,
    offset: 0,
    limit: rejections.sessions,
    perSession: 1,
    order: "relevance",
    workspace: undefined,
    countElsewhere: false,
  });
  const hits: SearchHit[] = [];
  for (const { session } of about.hits) {
    if (!session) continue;
    const wanted = { sessionId: session.id, type: asked.type, offset: 0, limit: rejections.perSession };
    const rejected = await ledger.search({ ...asked, ...wanted, query: undefined, countElsewhere: false });
    hits.push(...rejected.hits);
  }
  const end = asked.offset + asked.limit;
  return {
    ...typed,
    hits: hits.slice(asked.offset, end),
    hasMore: hits.length > end,
    missing: about.missing,
  };
}

type Selection = {
  query?: string | undefined;
  type?: string | undefined;
  tags?: readonly string[] | undefined;
  since?: string | undefined;
  until?: string | undefined;
};

const newest: Recovery = {
  hint: "Pass words to search for, or list the newest sessions.",
  operation: "list_sessions",
  args: {},
};

function checkSelection(
  { query, type, tags = [], since, until }: Selection,
  fail: Fail<"INVALID_PAYLOAD">,
): void {
  if (query === undefined) {
    if (type === undefined && tags.length === 0 && since === undefined && until === undefined)
      fail("INVALID_PAYLOAD", "Pass query, or at least one of type, tags, since and until.", {
        recovery: newest,
      });
  } else if (!/[\p{L}\p{N}]/u.test(query))
    fail("INVALID_PAYLOAD", "query contains no word to search for.", { recovery: newest });
}

type Found = SearchHit | (MemoryHit & { timestamp: string });

/** Searches the memory, and notes in other workspaces. Returns nothing if the filters match only thoughts. */
async function searchBeside(
  context: OperationContext,
  asked: SearchQuery,
  { workspaces, projects }: { workspaces: readonly string[]; projects: readonly string[] },
  earlier: boolean,
): Promise<Found[][]> {
  const { query, sessionId, type, tags = [], order, since, until } = asked;
  if (query === undefined || sessionId !== undefined || type !== undefined || tags.length > 0) return [];
  const question = { query, order, since, until, earlier };
  const memory = await searchMemory(context, workspaces, projects, question);
  const notes = workspaces.slice(1).map((workspace) => {
    const alone = { ...asked, workspace, project: noProject, offset: 0, limit: notesOfWorkspace };
    return context.ledger.search({ ...alone, countElsewhere: false });
  });
  return [
    memory.map((hit) => ({ ...hit, timestamp: new Date(hit.atMs).toISOString() })),
    ...(await Promise.all(notes)).map(({ hits }) => hits.filter(({ note }) => note !== undefined)),
  ].filter((hits) => hits.length > 0);
}

/** Matches no project, because project names cannot contain a space. A search for it finds only notes. */
const noProject = "no project";
const notesOfWorkspace = 20;
/** The maximum number of thoughts to sort together with other results. The remaining thoughts follow. */
const mergedThoughts = 200;

async function mergePages(
  { ledger }: OperationContext,
  asked: SearchQuery,
  page: SearchPage,
  beside: readonly Found[][],
): Promise<{ hits: Found[]; hasMore: boolean }> {
  const { offset, limit, order } = asked;
  const others = beside.reduce((sum, hits) => sum + hits.length, 0);
  const end = offset + limit;
  if (offset >= mergedThoughts + others) {
    const later = await ledger.search({ ...asked, offset: offset - others });
    return { hits: later.hits, hasMore: later.hasMore };
  }
  const first =
    offset === 0 ? page : await ledger.search({ ...asked, offset: 0, limit: Math.min(end, mergedThoughts) });
  const all = mergeHits<Found>([first.hits, ...beside], order, end + 1);
  return { hits: all.slice(offset, end), hasMore: all.length > end || first.hasMore };
}

async function isRejected({ ledger }: OperationContext, { session, address }: SearchHit): Promise<boolean> {
  return session !== undefined && address !== undefined
    ? (await ledger.loadRejections(session.id)).isRejected(address)
    : false;
}

function tellElsewhere(found: number): string {
  const many = found >= 100 ? "At least 100 thoughts" : count(found, "thought");
  return `${many} in other projects ${found === 1 ? "contains" : "contain"} all the words. project: "*" searches them too.`;
}

/** Converts a date or time to an instant. A date without a time covers the whole day. */
function toInstant(text: string, edge: "start" | "end"): string {
  if (text.length > 10)
    return new Date(text.endsWith("Z") || /[+-]\d{2}:\d{2}$/.test(text) ? text : `${text}Z`).toISOString();
  return edge === "start" ? `${text}T00:00:00.000Z` : `${text}T23:59:59.999Z`;
}
