import * as z from "zod";
import { slugProject } from "../../domain/ledger/project.ts";
import { sessionSchema, sessionStatuses } from "../../domain/ledger/session.ts";
import { clip } from "../../kernel/text.ts";
import { defineOperation, type OperationContext } from "../define.ts";
import { aspect, limit, offset, project, tags, task } from "../fields.ts";

export const listSessions = defineOperation({
  name: "list_sessions",
  family: "ledger",
  title: "List sessions",
  summary:
    "Lists the sessions of the project, newest first, with filters by tag, status and words of the title.",
  toolset: "daily",
  stage: "entry",
  effect: "read",
  input: {
    project: project.optional().describe("Another project, or * for all."),
    task: task.optional(),
    aspect: aspect.optional(),
    tags: tags.optional(),
    tagMode: z.enum(["all", "any"]).default("all").describe("Whether all tags must be there or any."),
    search: z.string().min(1).max(200).optional().describe("Words of title, description or tags."),
    status: z.enum(sessionStatuses).optional().describe("abandoned = open without a thought for 24 hours."),
    limit: limit(100, 20),
    offset,
    sortBy: z.enum(["createdAt", "updatedAt", "title"]).default("updatedAt").describe("What to sort by."),
    sortOrder: z.enum(["asc", "desc"]).default("desc").describe("Which end comes first."),
  },
  advanced: ["task", "aspect", "tagMode", "sortBy", "sortOrder", "offset"],
  spellings: { envelopes: ["filters", "filter"] },
  output: z.strictObject({
    sessions: z.array(sessionSchema),
    total: z.int(),
    hasMore: z.boolean(),
    limit: z.int(),
    offset: z.int(),
    project: z.string(),
  }),
  pages: "sessions",
  errors: ["STORAGE_ERROR"],
  examples: [
    { title: "the newest of this project", given: "a session with thoughts", input: {} },
    {
      title: "by tag in every project",
      given: "a session with thoughts",
      input: { project: "*", tags: ["example"] },
    },
  ],

  async handle({ project, task, aspect, tags = [], search, status, ...page }, context) {
    const scope = projectScope(context, project);
    const wanted = [...tags, ...(task ? [`task:${task}`] : []), ...(aspect ? [`aspect:${aspect}`] : [])];
    const { sessions, total } = await context.ledger.listSessions({
      project: scope,
      tags: wanted,
      search,
      status,
      ...page,
    });
    return {
      sessions: sessions.map(({ description, ...session }) => ({
        ...session,
        ...(description !== undefined && { description: clip(description, 300) }),
      })),
      total,
      hasMore: page.offset + sessions.length < total,
      limit: page.limit,
      offset: page.offset,
      project: scope ?? "*",
    };
  },
});

/** Reading stays in the caller's project unless all are asked for; a locked server knows only its own. */
export function projectScope(
  { handle, settings }: OperationContext,
  asked: string | undefined,
): string | undefined {
  if (settings.projectLock) return settings.project;
  if (asked === "*") return undefined;
  return asked === undefined ? handle.project : slugProject(asked);
}
