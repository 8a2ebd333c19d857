import { type CommitCall, commitCalls } from "../../../domain/memory/steps/commit-calls.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { type Served, ThoughtboxError } from "../../../kernel/errors.ts";
import type { EventSink } from "../../../ports/events.ts";
import type { MemoryStore } from "../../../ports/memory/memory-store.ts";
import { type Committed, toServed } from "../../memory/commit.ts";
import { type CommitWith, createMemoryStore as createStore } from "../../memory/memory-store.ts";
import type { RunQuery } from "../../memory/merge/merge-in-slices.ts";
import type { WithConnection, WithWrite, WriteConnection } from "../connection/access.ts";
import { newestSchema } from "../connection/migrate.ts";
import { nodeWords } from "./node-words.ts";
import { runQuery } from "./run-query.ts";

type Parts = {
  read: WithConnection;
  together: MemoryStore["together"];
  write: WithWrite;
  commit(call: CommitCall): Promise<Committed>;
  commitWith: CommitWith;
  publish: EventSink;
  clock: Clock;
};

export function createMemoryStore(parts: Parts): MemoryStore {
  const { read, together, write, commit, commitWith, publish, clock } = parts;
  const readQuery: RunQuery = (query) => read((connection) => runQuery(connection, query()));
  const database = {
    read: readQuery,
    readOne: readQuery,
    write: ((query) => write((connection) => runQuery(connection, query()))) as RunQuery,
    together,
    commit,
    commitWith,
    words: nodeWords,
    // Words are indexed in the same transaction as their text.
    catchUpWords: async () => {},
    onCommit: () => {},
    schemaVersion: newestSchema,
  };
  return createStore(database, publish, clock);
}

/**
 * Serves the waiting calls inside one transaction. If `isOnly` is true, there is a single call, and its
 * transaction is rolled back if the call is refused.
 */
export async function commitTogether(
  connection: WriteConnection,
  calls: readonly CommitCall[],
  isOnly: boolean,
): Promise<Served<Committed>[]> {
  try {
    return (await runQuery(connection, commitCalls(calls, isOnly))).map(toServed);
  } catch (thrown) {
    if (!(thrown instanceof ThoughtboxError)) throw thrown;
    if (isOnly) return [{ refused: thrown }];
    // One of the calls contains text that cannot be stored. After this error, each call runs separately.
    throw new Error("a call cannot be written", { cause: thrown });
  }
}
