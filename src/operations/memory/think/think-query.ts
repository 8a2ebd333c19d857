import * as z from "zod";
import { thinkTypes } from "../../../domain/memory/cards/card.ts";
import { chooseView, stepTag } from "../../../domain/memory/cards/visibility.ts";
import { type GraphVersion, normaliseTags } from "../../../domain/memory/graph.ts";
import { memoryLimits } from "../../../domain/memory/limits.ts";
import { facetsFor } from "../../../domain/memory/views/selection.ts";
import type { NodeQuery } from "../../../ports/memory/graph.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { agentId, clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { cursor, describePage, pagination, target } from "../fields.ts";
import { showVersion, stubNode, tagList } from "../graph/graph-schemas.ts";
import { cardSchema, type ShownCard } from "../packs/show-pack.ts";
import type { ResolvedDocs } from "../scope.ts";
import { cardId, graphDoc, ref, step, viewFields } from "./fields.ts";
import { resolveStep } from "./resolve-step.ts";
import { resolveRef } from "./think-change.ts";

export const thinkQuery = defineMemory({
  name: "think_query",
  title: "Find cards",
  summary:
    "Finds cards by ID, type, status, tags and words, newest first. Drafts are found only on request or by ID.",
  effect: "read",
  input: {
    text: z.string().min(1).max(500).optional().describe("Words in the title or text."),
    types: z.array(z.string().max(64)).max(16).optional().describe("Only cards of these types."),
    status: z.string().max(memoryLimits.word).optional().describe("Only cards with this status."),
    tags_any: tagList.optional().describe("At least one of these tags."),
    tags_all: tagList.optional().describe("All of these tags."),
    ids: z.array(cardId).max(200).optional().describe("Only these cards, including drafts."),
    step,
    target: target.optional(),
    ref,
    graph_doc: graphDoc,
    all_lanes: viewFields.all_lanes,
    include_drafts: viewFields.include_drafts,
    context_budget: viewFields.context_budget,
    cursor: cursor.optional(),
    limit: clampedLimit(20),
    agent_id: agentId.optional(),
  },
  advanced: ["ref", "graph_doc", "agent_id", "all_lanes", "tags_any", "context_budget"],
  output: { branch: z.string(), graph_doc: z.string(), cards: z.array(cardSchema), pagination },
  trim: { list: { key: "cards", oldest: "last", cursor: ({ last_seq }) => last_seq, stub: stubNode } },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "open hypotheses about the pool",
      given: "a workspace with cards",
      input: { types: ["hypothesis"], status: "open", text: "pool" },
    },
  ],

  async handle(input, memory) {
    const { target, ref, graph_doc } = input;
    const place = await resolveRef(memory, { target, ref, graph_doc });
    const explicit = ref !== undefined || graph_doc !== undefined;
    const found = await resolveStep(memory, place.target, input.step, explicit);
    return queryCards(memory, place, {
      ids: input.ids,
      types: input.types,
      status: input.status,
      text: input.text,
      tagsAny: input.tags_any && normaliseTags(input.tags_any),
      tagsAll: normaliseTags([...(input.tags_all ?? []), ...(found ? [stepTag(found.step_id)] : [])]),
      drafts: chooseView(input).drafts || areNamed(input),
      cursor: input.cursor,
      limit: input.limit,
    });
  },
});

/** True if the call requests cards by ID and does not exclude drafts. Drafts are then shown. */
const areNamed = ({ ids, include_drafts, all_lanes }: Lens): boolean =>
  ids !== undefined && include_drafts !== false && all_lanes !== false;

type Lens = {
  ids?: readonly string[] | undefined;
  include_drafts?: boolean | undefined;
  all_lanes?: boolean | undefined;
};

type Asked = Pick<NodeQuery, "ids" | "types" | "status" | "tagsAll" | "tagsAny" | "text"> & {
  drafts: boolean;
  pinned?: boolean;
  cursor: number | undefined;
  limit: number;
};

/** Returns cards, newest first. Hidden cards do not count towards the page size. */
export async function queryCards(
  memory: MemoryContext,
  { branch, graph_doc }: ResolvedDocs,
  { drafts, pinned, cursor, limit, types, ...filters }: Asked,
) {
  const { nodes, hasMore } = await memory.memory.queryNodes(memory.workspace, {
    branch,
    doc: graph_doc,
    ...filters,
    types: types && types.length > 0 ? types : thinkTypes,
    facets: facetsFor({ drafts, pinned, limit }),
    includeDeleted: false,
    before: cursor,
    limit,
  });
  const next = nodes.at(-1)?.last_seq;
  return {
    branch,
    graph_doc,
    cards: nodes.map((node) => showVersion(node as GraphVersion) as ShownCard),
    pagination: describePage({ cursor, limit, count: nodes.length, hasMore, next }),
  };
}
