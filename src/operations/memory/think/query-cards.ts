import { thinkTypes } from "../../../domain/memory/cards/card.ts";
import type { GraphVersion } from "../../../domain/memory/graph.ts";
import { facetsFor } from "../../../domain/memory/views/card-facets.ts";
import type { NodeQuery } from "../../../ports/memory/graph.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { showVersion } from "../graph/version-schemas.ts";
import type { ShownCard } from "../packs/card-schema.ts";
import { describePage } from "../paging.ts";
import type { ResolvedDocs } from "../scope.ts";

type Asked = Pick<NodeQuery, "ids" | "types" | "status" | "tagsAll" | "tagsAny" | "text"> & {
  drafts: boolean;
  pinned?: boolean;
  cursor: number | undefined;
  limit: number;
};

/** A page of cards, newest first; what is not shown takes no room on it. */
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
