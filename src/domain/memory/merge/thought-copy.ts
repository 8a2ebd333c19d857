import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import { addressOf, describeAddress, nodeId } from "../../ledger/address.ts";
import { limits } from "../../ledger/limits.ts";
import type { ChainedThought } from "../../ledger/thought.ts";
import type { NewEntry } from "../entry.ts";

/**
 * A thought to be copied into a document. `source` identifies the thought in every store, and is the `source_event_id`
 * of each copy, including copies of copies. `seq` is the thought's number in this store.
 */
export type ThoughtCopy = { source: string; seq: number; entry: NewEntry };

/** Callers cannot create a branch with this name. */
export const thoughtSourcePrefix = "merge:session/";

export const isThoughtSource = (event: string): boolean => event.startsWith(thoughtSourcePrefix);

export const thoughtSource = ({ sessionId, data }: Pick<ChainedThought, "sessionId" | "data">): string =>
  `${thoughtSourcePrefix}${nodeId(sessionId, addressOf(data))}`;

/** The unchanged text, under a title with its session and number. `open` accepts `meta.source`. */
export function copyThought(sessionTitle: string, thought: ChainedThought): ThoughtCopy {
  const { sessionId, seq, data } = thought;
  const address = addressOf(data);
  return {
    source: thoughtSource(thought),
    seq,
    entry: {
      kind: "note",
      title: `${clipWhole(sessionTitle, limits.title)}: ${describeAddress(address)}`,
      meta: { source: nodeId(sessionId, address) },
      content: data.thought,
      agent_id: data.agentId,
    },
  };
}
