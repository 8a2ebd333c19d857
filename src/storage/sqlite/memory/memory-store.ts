import { type CommitCall, commitCalls } from "../../../domain/memory/steps/commit-calls.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { attempt, type Served, ThoughtboxError } from "../../../kernel/errors.ts";
import type { EventSink } from "../../../ports/events.ts";
import type { MemoryStore } from "../../../ports/memory/memory-store.ts";
import { type Committed, toServed } from "../../memory/commit.ts";
import { createMemoryStore as createStore, type MemoryDatabase } from "../../memory/memory-store.ts";
import { endMoment, inOneMoment, inSharedMoment, type WithConnection } from "../connection/access.ts";
import { newestFormat } from "../connection/migrate.ts";
import type { Connection } from "../connection/open-database.ts";
import type { WordIndex } from "../search/word-index.ts";
import { nodeWords } from "./node-words.ts";
import { runQuery } from "./run-query.ts";

export function createMemoryStore(
  read: WithConnection,
  write: WithConnection,
  commits: Pick<MemoryDatabase, "commit" | "commitWith">,
  index: WordIndex,
  publish: EventSink,
  clock: Clock,
): MemoryStore {
  let together = 0;
  let shared: Connection | undefined;
  const database: MemoryDatabase = {
    read: (query) =>
      read((connection) => {
        if (together === 0) return inOneMoment(connection, (moment) => runQuery(moment, query()));
        shared = connection;
        return inSharedMoment(connection, (moment) => runQuery(moment, query()));
      }),
    readOne: (query) => read((connection) => runQuery(connection, query())),
    write: (query) => write((connection) => runQuery(connection, query())),
    async together(work) {
      together += 1;
      try {
        return await work();
      } finally {
        together -= 1;
        if (together === 0 && shared) endMoment(shared);
      }
    },
    ...commits,
    words: nodeWords,
    catchUpWords: async () => void (await index.catchUp()),
    onCommit: index.later,
    schemaVersion: newestFormat,
  };
  return createStore(database, publish, clock);
}

/**
 * Serves the waiting calls inside one transaction. If `isOnly` is true, there is a single call, and the
 * transaction is rolled back if the call is refused.
 */
export function commitTogether(
  connection: Connection,
  calls: readonly CommitCall[],
  isOnly: boolean,
): Served<Committed>[] {
  const decide = () => runQuery(connection, commitCalls(calls, isOnly));
  if (isOnly) {
    const { result, refused } = attempt(decide);
    return refused ? [{ refused }] : result.map(toServed);
  }
  try {
    return decide().map(toServed);
  } catch (thrown) {
    // One of the calls contains text that cannot be stored. Running each call separately shows which one.
    throw thrown instanceof ThoughtboxError
      ? new Error("a call cannot be written", { cause: thrown })
      : thrown;
  }
}
