import * as z from "zod";
import { navigationTags, sessionSchema, sessionStatuses } from "../../../domain/ledger/session.ts";
import type { StageName } from "../../../domain/stages/stages.ts";
import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import { defineOperation } from "../../pipeline/define.ts";
import {
  aspect,
  limit,
  offset,
  offsetPage,
  offsetPageSchema,
  project,
  tags,
  task,
} from "../../pipeline/fields.ts";
import { pages } from "../../pipeline/fit/fit.ts";
import type { Toolset } from "../../pipeline/operation.ts";
import { lookElsewhere, projectScope } from "../open-session.ts";

/** Defines the list operation under one of its two names: `list_sessions` or `session.list`. */
export function defineListSessions(names: { name: string; toolset: Toolset; stage: StageName }) {
  const working = names.stage === "entry" ? {} : { sessionId: "$session" };
  return defineOperation({
    ...names,
    family: "ledger",
    title: "List sessions",
    summary:
      "Lists the project's sessions, newest first, with filters by tag, status and words in the title.",
    effect: "read",
    scope: "caller",
    input: {
      project: project.optional().describe("Project to list, or * for all."),
      task: task.optional(),
      aspect: aspect.optional(),
      tags: tags.optional(),
      tagMode: z.enum(["all", "any"]).default("all").describe("Match all tags (default) or any of them."),
      search: z.string().min(1).max(200).optional().describe("Words in title, description or tags."),
      status: z
        .enum([...sessionStatuses, "deleted"])
        .optional()
        .describe("abandoned: open, with no new thought for 24 hours. deleted: in the trash."),
      limit: limit(100, 20),
      offset,
      sortBy: z
        .enum(["createdAt", "updatedAt", "title"])
        .default("updatedAt")
        .describe("What to sort by. Default: updatedAt."),
      sortOrder: z.enum(["asc", "desc"]).default("desc").describe("Sort direction. Default: desc."),
    },
    advanced: ["task", "aspect", "tagMode", "sortBy", "sortOrder", "offset"],
    spellings: { envelopes: ["filters", "filter"] },
    output: z.strictObject({
      sessions: z.array(sessionSchema.extend({ deletedAt: z.string().optional() })),
      ...offsetPageSchema,
      limit: z.int(),
      offset: z.int(),
      project: z.string(),
      hint: z.string().optional(),
    }),
    fit: pages("sessions"),
    errors: ["STORAGE_ERROR"],
    examples: [
      { title: "the newest in this project", given: "a session with thoughts", input: working },
      {
        title: "by tag in every project",
        given: "a session with thoughts",
        input: { ...working, project: "*", tags: ["example"] },
      },
    ],

    async handle({ project, task, aspect, tags = [], search, status, ...page }, context) {
      const scope = projectScope(context, project);
      const { sessions, total } =
        status === "deleted"
          ? await context.ledger.listTrash({ project: scope, ...page })
          : await context.ledger.listSessions({
              project: scope,
              tags,
              requiredTags: navigationTags({ task, aspect }),
              search,
              status,
              ...page,
            });
      const isPlain = [project, task, aspect, search, status].every((asked) => asked === undefined);
      const elsewhere =
        total === 0 && isPlain && tags.length === 0 ? await lookElsewhere(context, scope) : undefined;
      return {
        sessions: sessions.map(({ description, ...session }) => ({
          ...session,
          ...(description !== undefined && { description: clipWhole(description, 300) }),
        })),
        ...offsetPage(page.offset, sessions.length, total),
        limit: page.limit,
        offset: page.offset,
        project: scope ?? "*",
        ...(elsewhere && { hint: elsewhere.hint }),
      };
    },
  });
}

export const listSessions = defineListSessions({ name: "list_sessions", toolset: "full", stage: "entry" });

export const sessionList = defineListSessions({
  name: "session.list",
  toolset: "full",
  stage: "init_complete",
});
