import * as z from "zod";
import { addressSchema, nodeId } from "../../../domain/ledger/address.ts";
import { limits } from "../../../domain/ledger/limits.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { cipherType, limit, offset, project, tags } from "../../pipeline/fields.ts";
import { pages } from "../../pipeline/fit/fit.ts";
import { projectScope } from "../project-scope.ts";

const moment = z
  .string()
  .regex(
    /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2})?)?$/,
    "a date or date-time such as 2026-11-15 or 2026-11-15T08:00:00Z",
  )
  .refine((text) => !Number.isNaN(Date.parse(text)), "must be a date that exists");

export const sessionSearch = defineOperation({
  name: "session.search",
  family: "ledger",
  title: "Search thoughts",
  summary:
    "Finds thoughts by their contents, ranked, with snippets and numbers; titles, descriptions and tags count too.",
  toolset: "daily",
  stage: "init_complete",
  effect: "read",
  scope: "caller",
  input: {
    query: z.string().min(1).max(limits.query).describe('Words, or a "quoted phrase".'),
    project: project.optional().describe("Another project, or * for all."),
    tags: tags.optional(),
    type: cipherType.optional(),
    since: moment.optional().describe("Recorded at or after this date or time."),
    until: moment.optional().describe("Recorded at or before this date or time."),
    limit: limit(50, 10),
    offset,
    order: z.enum(["relevance", "newest"]).default("relevance").describe("What comes first."),
  },
  advanced: ["tags", "since", "until", "offset"],
  output: z.strictObject({
    query: z.string(),
    hits: z.array(
      z.strictObject({
        sessionId: z.string(),
        sessionTitle: z.string(),
        id: z.string().optional(),
        thought: addressSchema.optional(),
        timestamp: z.string(),
        snippet: z.string(),
        score: z.number(),
      }),
    ),
    count: z.int(),
    hasMore: z.boolean(),
    relaxed: z.literal(true).optional(),
  }),
  fit: pages("hits"),
  errors: ["INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    {
      title: "by words",
      given: "a session with thoughts",
      input: { sessionId: "$session", query: "login timeout" },
    },
    {
      title: "hypotheses only",
      given: "a session with thoughts",
      input: { sessionId: "$session", query: "pool", type: "H" },
    },
  ],

  async handle({ project, since, until, ...query }, context) {
    if (!/[\p{L}\p{N}]/u.test(query.query)) {
      return context.fail("INVALID_PAYLOAD", "query holds no word to look for.");
    }
    const page = await context.ledger.search({
      ...query,
      project: projectScope(context, project),
      since: since && toInstant(since, "start"),
      until: until && toInstant(until, "end"),
    });
    if (page.unindexed > 0) {
      context.warn({
        code: "INDEX_BEHIND",
        message: `${page.unindexed} newest thoughts are not searchable yet: the store cannot be written.`,
      });
    }
    return {
      query: query.query,
      hits: page.hits.map(({ session, address, timestamp, snippet, score }) => ({
        sessionId: session.id,
        sessionTitle: session.title,
        ...(address && { id: nodeId(session.id, address), thought: address }),
        timestamp: timestamp ?? session.createdAt,
        snippet,
        score,
      })),
      count: page.hits.length,
      hasMore: page.hasMore,
      ...(page.relaxed && { relaxed: true as const }),
    };
  },
});

/** A bare date covers its whole day. */
function toInstant(text: string, edge: "start" | "end"): string {
  if (text.length > 10)
    return new Date(text.endsWith("Z") || /[+-]\d{2}:\d{2}$/.test(text) ? text : `${text}Z`).toISOString();
  return edge === "start" ? `${text}T00:00:00.000Z` : `${text}T23:59:59.999Z`;
}
