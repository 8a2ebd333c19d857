import {
  createIndexShelf,
  createThoughtIndex,
  type ThoughtIndex,
} from "../../../domain/ledger/chain/thought-index.ts";
import { decodeAddress } from "../../rows/ledger-rows.ts";
import type { Connection, WithConnection } from "../connection/access.ts";
import { sidOf } from "./thought-reads.ts";

/** The number of links to read before other work may run. */
const linksAtOnce = 20_000;

export function createIndexCache(read: WithConnection, maxThoughts = 300_000) {
  const { indexes, keep } = createIndexShelf(maxThoughts);
  /**
   * The last update of each index. Updates of one index run one after the other, because concurrent ones
   * would both add the new thoughts.
   */
  const turns = new Map<string, Promise<ThoughtIndex>>();

  async function load(sessionId: string): Promise<ThoughtIndex> {
    const index = indexes.get(sessionId) ?? createThoughtIndex(sessionId);
    for (;;) {
      const links = await read((connection) => selectLinks(connection, index));
      if (links === undefined) {
        indexes.delete(sessionId);
        return createThoughtIndex(sessionId);
      }
      for (const link of links) index.add(link);
      keep(index);
      if (links.length < linksAtOnce) return index;
    }
  }

  return async (sessionId: string): Promise<ThoughtIndex> => {
    const before = turns.get(sessionId) ?? Promise.resolve();
    const turn = before.then(
      () => load(sessionId),
      () => load(sessionId),
    );
    turns.set(sessionId, turn);
    try {
      return await turn;
    } finally {
      if (turns.get(sessionId) === turn) turns.delete(sessionId);
    }
  };
}

type Link = Parameters<ThoughtIndex["add"]>[0];

/** Returns the links that the index lacks. `undefined` if the session is gone. */
async function selectLinks(connection: Connection, index: ThoughtIndex): Promise<Link[] | undefined> {
  const sid = await sidOf(connection, index.sessionId);
  if (sid === undefined) return undefined;
  const rows = await connection
    .sql(`SELECT position, branch_id, number, revises_branch, revises_number, from_branch, from_number
      FROM {thoughts} t WHERE sid = ? AND position > ? ORDER BY position LIMIT ?`)
    .all(sid, index.position, linksAtOnce);
  return rows.flatMap((row) => {
    const address = decodeAddress(row["branch_id"], row["number"]);
    if (!address) return [];
    const revises = decodeAddress(row["revises_branch"], row["revises_number"]);
    const fork = decodeAddress(row["from_branch"], row["from_number"]);
    return [{ position: Number(row["position"]), address, revises, fork }];
  });
}
