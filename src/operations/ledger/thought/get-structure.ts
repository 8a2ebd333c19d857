import * as z from "zod";
import {
  cipherFiguresOf,
  cipherFiguresSchema,
  describeCipher,
  graphNodeSchema,
} from "../../../domain/analysis/cipher-graph.ts";
import { describeNode, describeStructure, structureSchema } from "../../../domain/ledger/chain/structure.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { limit, offset, offsetPage } from "../../pipeline/fields.ts";
import { pages } from "../../pipeline/fit/fit.ts";
import { readWorkingSession } from "../session/read-session.ts";
import { readClosings } from "./branch-close.ts";

export const getStructure = defineOperation({
  name: "get_structure",
  family: "ledger",
  title: "Show the structure",
  summary: "Shows the shape of the reasoning without its contents: main chain, branches and revisions.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "read",
  scope: "session",
  input: {
    detail: z
      .enum(["summary", "nodes", "branches"])
      .default("summary")
      .describe(
        "Default: summary. nodes adds IDs, links, cipher types and typed edges of every thought. branches pages through branches and revisions.",
      ),
    limit: limit(500, 200).describe(
      "How many items to return if detail is nodes or branches, 1–500. Default: 200.",
    ),
    offset: offset.describe(
      "How many items to skip if detail is nodes or branches, in recording order. Default: 0.",
    ),
  },
  advanced: ["limit", "offset"],
  output: structureSchema.extend({
    sessionId: z.string(),
    nodes: z.array(graphNodeSchema).optional(),
    cipher: cipherFiguresSchema.optional(),
    hasMore: z.boolean().optional(),
  }),
  fit: pages("nodes"),
  errors: ["SESSION_NOT_FOUND", "STORAGE_ERROR"],
  examples: [
    { title: "the summary", given: "a session with a branch", input: { sessionId: "$session" } },
    {
      title: "every node",
      given: "a session with a branch",
      input: { sessionId: "$session", detail: "nodes" },
    },
  ],

  async handle({ detail, limit, offset }, context) {
    const { ledger, clock } = context;
    const { sessionId } = context.callerState;
    ledger.touch(sessionId, clock().toISOString());
    const index = await ledger.loadIndex(sessionId);
    const closings = index.branches().length > 0 ? await readClosings(ledger, sessionId) : new Map();
    if (detail === "summary") return { sessionId, ...describeStructure(index, undefined, { closings }) };
    if (detail === "branches") {
      const part = describeStructure(index, limit, { part: { offset, limit }, closings });
      const { hasMore } = offsetPage(offset, limit, Math.max(part.branchCount, part.revisionCount));
      return { sessionId, ...part, hasMore };
    }
    const structure = { sessionId, ...describeStructure(index, 50, { closings }) };
    const { shape } = await readWorkingSession(context);
    const cipher = cipherFiguresOf(shape);
    const nodes = [...index.nodes.values()].slice(offset, offset + limit);
    return {
      ...structure,
      nodes: nodes.map((node) => ({
        ...describeNode(index, node),
        ...describeCipher(shape.graph, sessionId, node.address),
      })),
      ...(cipher && { cipher }),
      hasMore: offsetPage(offset, nodes.length, index.size).hasMore,
    };
  },
});
