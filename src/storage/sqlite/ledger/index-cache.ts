import {
  createIndexShelf,
  createThoughtIndex,
  type ThoughtIndex,
} from "../../../domain/ledger/chain/thought-index.ts";
import { decodeAddress } from "../../rows/ledger-rows.ts";
import type { WithConnection } from "../connection/access.ts";
import type { Connection } from "../connection/open-database.ts";
import { sidOf } from "./thought-reads.ts";

/** How many links are read before other work runs. */
const linksAtOnce = 20_000;

export function createIndexCache(read: WithConnection, maxThoughts = 300_000) {
  const { indexes, keep } = createIndexShelf(maxThoughts);

  return async (sessionId: string): Promise<ThoughtIndex> => {
    const index = indexes.get(sessionId) ?? createThoughtIndex(sessionId);
    for (;;) {
      const state = await read((connection) => {
        const reached = refreshIndex(connection, index);
        if (reached === "gone") indexes.delete(sessionId);
        else keep(index);
        return reached;
      });
      // A deleted session must not be returned from the cache.
      if (state === "gone") return createThoughtIndex(sessionId);
      if (state === "fresh") return index;
      await new Promise(setImmediate);
    }
  };
}

/**
 * A plain thought on the main chain is stored as two elements: its position and its number. Any other thought
 * is stored as a list.
 */
type PackedLinks = (
  | number
  | [number, string, number, string | null, number | null, string | null, number | null]
)[];

/**
 * Adds some of the links that an index lacks. SQLite packs the rows into one text, because a hundred thousand row
 * objects take ten times as long.
 */
function refreshIndex(connection: Connection, index: ThoughtIndex): "fresh" | "behind" | "gone" {
  const sid = sidOf(connection, index.sessionId);
  if (sid === undefined) return "gone";
  const found = connection
    .sql(`SELECT count(*) AS count,
            group_concat(CASE WHEN branch_id = '' AND revises_number IS NULL THEN position || ',' || number
              ELSE json_array(position, branch_id, number, revises_branch, revises_number, from_branch, from_number)
              END) AS links
          FROM (SELECT * FROM thoughts WHERE sid = ? AND position > ? ORDER BY position LIMIT ?)`)
    .get(sid, index.position, linksAtOnce);
  const packed = found?.["links"];
  if (typeof packed === "string") addLinks(index, JSON.parse(`[${packed}]`));
  return Number(found?.["count"]) < linksAtOnce ? "fresh" : "behind";
}

function addLinks(index: ThoughtIndex, links: PackedLinks): void {
  for (let n = 0; n < links.length; n += 1) {
    const link = links[n];
    if (typeof link === "number") {
      n += 1;
      index.add({ position: link, address: { thoughtNumber: links[n] as number } });
    } else if (link) {
      const [position, branch, number, revisesBranch, revisesNumber, fromBranch, fromNumber] = link;
      const address = decodeAddress(branch, number);
      if (!address) continue;
      const revises = decodeAddress(revisesBranch, revisesNumber);
      index.add({ position, address, revises, fork: decodeAddress(fromBranch, fromNumber) });
    }
  }
}
