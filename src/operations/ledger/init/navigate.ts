import * as z from "zod";
import type { Navigation } from "../../../domain/ledger/session.ts";
import { navigationTags } from "../../../domain/ledger/session.ts";
import { stageAfterDomain } from "../../../domain/stages/stages.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { aspect, domain, project, task } from "../../pipeline/fields.ts";
import { shortens } from "../../pipeline/fit/fit.ts";
import { chooseProject } from "../open-session.ts";

const place = z.string().nullable();

export const navigate = defineOperation({
  name: "navigate",
  family: "ledger",
  title: "Navigate",
  summary: "Moves to a project, task, aspect or domain, and lists the sessions there.",
  toolset: "full",
  stage: "entry",
  effect: "write",
  scope: "caller",
  input: {
    project: project.optional(),
    task: task.optional(),
    aspect: aspect.optional(),
    domain: domain.optional(),
  },
  spellings: { envelopes: ["target"], reshape: spellTo },
  output: z.strictObject({
    project: z.string(),
    navigation: z.strictObject({ project: place, task: place, aspect: place }),
    activeDomain: z.string().nullable(),
    stage: z.int(),
    sessions: z.array(
      z.strictObject({
        sessionId: z.string(),
        title: z.string(),
        updatedAt: z.string(),
        thoughtCount: z.int(),
      }),
    ),
    total: z.int(),
  }),
  fit: shortens("sessions"),
  errors: ["INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    { title: "to a task", input: { project: "shop", task: "speed" } },
    {
      title: "to a domain",
      given: "a session with thoughts",
      input: { sessionId: "$session", domain: "debugging" },
    },
  ],

  async handle({ project: asked, task, aspect, domain }, context) {
    const { callerState, ledger } = context;
    const project = chooseProject(context, asked);
    const moved = asked !== undefined;
    const navigation: Navigation = {
      project,
      task: task ?? (moved ? undefined : callerState.navigation.task),
      aspect: aspect ?? (moved || task !== undefined ? undefined : callerState.navigation.aspect),
    };
    const activeDomain = domain ?? callerState.domain;
    const stage = domain ? stageAfterDomain(callerState.stage) : callerState.stage;
    await context.changeCallerState({
      navigation,
      domain: activeDomain,
      stage,
      project,
    });
    const { sessions, total } = await ledger.listSessions({
      project,
      tags: navigationTags({ task: navigation.task, aspect: navigation.aspect }),
      tagMode: "all",
      limit: 20,
      offset: 0,
      sortBy: "updatedAt",
      sortOrder: "desc",
    });
    return {
      project,
      navigation: { project, task: navigation.task ?? null, aspect: navigation.aspect ?? null },
      activeDomain: activeDomain ?? null,
      stage: callerState.stage,
      sessions: sessions.map(({ id, title, updatedAt, thoughtCount }) => ({
        sessionId: id,
        title,
        updatedAt,
        thoughtCount,
      })),
      total,
    };
  },
});

/** Converts `{to: "task", value: "speed"}` to `{task: "speed"}`. */
function spellTo(args: Record<string, unknown>): Record<string, unknown> {
  const { to, value, ...others } = args;
  const understood = typeof to === "string" && value !== undefined && !Object.hasOwn(others, to);
  return understood ? { ...others, [to]: value } : args;
}
