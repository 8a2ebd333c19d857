import * as z from "zod";
import {
  cognitiveLoadSchema,
  decisionPointSchema,
  describePatterns,
  describeTimeline,
  findDecisionPoints,
  measureLoad,
  patternsSchema,
  timelineSchema,
} from "../../../domain/analysis/deep-analysis.ts";
import type { SessionShape } from "../../../domain/analysis/session-shape.ts";
import { runInTurns } from "../../../kernel/steps.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { sessionId } from "../../pipeline/fields.ts";
import { readSession, unknownSession } from "../../pipeline/find-session.ts";
import { shortens } from "../../pipeline/fit/fit.ts";
import { readShape, readWorkingSession } from "../session/read-session.ts";

const maxDecisionPoints = 200;

const figuresSchema = z.strictObject({ ...patternsSchema.shape, ...cognitiveLoadSchema.shape });

export const deepAnalysis = defineOperation({
  name: "deep_analysis",
  family: "ledger",
  title: "Analyse in depth",
  summary:
    "Shows a session's patterns, cognitive load, decision points and timeline, and compares the session with others.",
  toolset: "full",
  stage: "init_complete",
  effect: "read",
  scope: "session",
  input: {
    analysisType: z
      .enum(["patterns", "cognitive_load", "decision_points", "full"])
      .default("full")
      .describe("Which analysis to run. Default: full."),
    options: z
      .strictObject({
        includeTimeline: z.boolean().default(true).describe("Include the timeline."),
        compareWith: z.array(sessionId).max(10).default([]).describe("Sessions to compare this one with."),
      })
      .prefault({})
      .describe("includeTimeline (default true) and compareWith (session IDs)."),
  },
  output: z.strictObject({
    sessionId: z.string(),
    analysisType: z.string(),
    timestamp: z.string(),
    patterns: patternsSchema.optional(),
    cognitiveLoad: cognitiveLoadSchema.optional(),
    decisionPoints: z.array(decisionPointSchema).optional(),
    decisionPointCount: z.int().optional(),
    timeline: timelineSchema.optional(),
    comparisons: z
      .array(
        z.strictObject({
          sessionId: z.string(),
          title: z.string(),
          figures: figuresSchema,
          differences: figuresSchema,
        }),
      )
      .optional(),
  }),
  fit: shortens("decisionPoints", "first"),
  errors: ["SESSION_NOT_FOUND", "STORAGE_ERROR"],
  examples: [
    { title: "everything", given: "a session with a branch", input: { sessionId: "$session" } },
    {
      title: "its turning points",
      given: "a session with a branch",
      input: { sessionId: "$session", analysisType: "decision_points" },
    },
  ],

  async handle({ analysisType, options: { includeTimeline, compareWith } }, context) {
    const { session, shape } = await readWorkingSession(context);
    const wants = (part: typeof analysisType) => analysisType === "full" || analysisType === part;
    const points = await runInTurns(findDecisionPoints(shape), context.signal);
    const others = await Promise.all(compareWith.map((id) => compare(id)));
    return {
      sessionId: session.id,
      analysisType,
      timestamp: context.clock().toISOString(),
      ...(wants("patterns") && { patterns: describePatterns(shape) }),
      ...(wants("cognitive_load") && { cognitiveLoad: measureLoad(shape) }),
      ...(wants("decision_points") && {
        decisionPoints: points.slice(-maxDecisionPoints),
        decisionPointCount: points.length,
      }),
      ...(includeTimeline && { timeline: describeTimeline(session, shape) }),
      ...(others.length > 0 && { comparisons: others }),
    };

    async function compare(id: string) {
      const other = await readSession(context.ledger, context.settings, id);
      if (!other) return unknownSession(context.fail, id);
      const figures = figuresOf(await readShape(context, id, other.session.thoughtCount));
      return {
        sessionId: id,
        title: other.session.title,
        figures,
        differences: subtract(figures, figuresOf(shape)),
      };
    }
  },
});

type Figures = z.infer<typeof figuresSchema>;

const figuresOf = (shape: SessionShape): Figures => ({ ...describePatterns(shape), ...measureLoad(shape) });

/** Subtracts `own`, the figures of this session, from `other`, those of another session. */
function subtract(other: Figures, own: Figures): Figures {
  const entries = Object.entries(other).map(([name, value]) => [name, value - own[name as keyof Figures]]);
  return Object.fromEntries(entries) as Figures;
}
