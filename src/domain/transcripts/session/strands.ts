import type { Address } from "../../ledger/thought.ts";
import type { TranscriptEntry } from "../entry.ts";
import { transcriptLimits } from "../limits.ts";

/**
 * A sequence of thoughts that becomes a chain in the ledger. The branch ID is chosen when the first thought
 * is recorded.
 */
export type Strand = {
  kind: "main" | "fork" | "agent";
  name: string | undefined;
  branchId: string | undefined;
  fork: Address | undefined;
  tip: Address | undefined;
  /** True if the user interrupted the agent after the last thought. */
  interrupted: boolean;
};

type Node = {
  strand: Strand;
  at: Address | undefined;
  messageId: string | undefined;
  turn: string | undefined;
};

export type Begin = { branchId: string; fork: Address | undefined };

/**
 * Assigns entries to strands. The first entry with a given parent continues the parent's strand. Later
 * entries start a branch, so recorded thoughts never move when the transcript grows. Results of tools that
 * ran in parallel, and the blocks of one message, share a parent and are not forks.
 */
export function createStrands(begin?: Begin) {
  const main: Strand = { ...newStrand("main", undefined), ...begin };
  const nodes = new Map<string, Node>();
  const threads = new Map<string, Strand>();
  const turns: { id: string | undefined; strand: Strand; before: Address | undefined }[] = [];
  const taken = new Set<string>(begin ? [begin.branchId] : []);
  let current = main;
  let [forks, agents] = [0, 0];

  function place(entry: TranscriptEntry): Strand {
    const parent = entry.parentId === undefined ? undefined : nodes.get(entry.parentId);
    const sameMessage = entry.messageId !== undefined && parent?.messageId === entry.messageId;
    const turn = sameMessage ? undefined : turnOf(entry);
    const strand = chooseStrand(entry, parent, turn);
    if (parent && turn !== undefined) parent.turn ??= turn;
    if (entry.role === "user" && turn !== undefined) turns.push({ id: entry.id, strand, before: strand.tip });
    return strand;
  }

  function chooseStrand(entry: TranscriptEntry, parent: Node | undefined, turn: string | undefined): Strand {
    if (parent) {
      const forks = turn !== undefined && parent.turn !== undefined && parent.turn !== turn;
      return forks && parent.at !== undefined ? newStrand("fork", parent.at) : parent.strand;
    }
    if (entry.thread === undefined || begin) return current;
    const known = threads.get(entry.thread);
    // Threads without a name are identified by their first entry.
    const begins = entry.parentId === undefined && entry.thread === "";
    if (known && !begins) return known;
    const strand = newStrand("agent", main.tip, entry.thread);
    threads.set(entry.thread, strand);
    return strand;
  }

  /** Undoes the user's last turns. The next entry continues from the point before them. */
  function rollBack(count: number): void {
    const [first] = turns.splice(Math.max(0, turns.length - count));
    if (!first) return;
    current = first.before === undefined ? first.strand : newStrand("fork", first.before);
  }

  return {
    place,
    rollBack,
    /** Undoes the turn that began with this message, and every later one. */
    rewindTo(id: string): void {
      const at = turns.findIndex((turn) => turn.id === id);
      if (at !== -1) rollBack(turns.length - at);
    },
    /** Records where later entries continue. Call it after the entry's thoughts are recorded. */
    leave(entry: TranscriptEntry, strand: Strand): void {
      if (entry.id === undefined) return;
      const { messageId } = entry;
      nodes.set(entry.id, { strand, at: strand.tip ?? strand.fork, messageId, turn: undefined });
    },
    /**
     * Returns the address of the next thought on a strand. `undefined` if the strand has no fork point yet,
     * or if there are too many branches.
     */
    next(strand: Strand): { address: Address; fork: Address | undefined } | undefined {
      const { tip } = strand;
      if (tip) return { address: { ...tip, thoughtNumber: tip.thoughtNumber + 1 }, fork: undefined };
      if (strand === main && !begin) return { address: { thoughtNumber: 1 }, fork: undefined };
      if (strand.fork === undefined) return undefined;
      if (strand.branchId === undefined) {
        if (forks + agents >= transcriptLimits.branches) return undefined;
        const name = strand.kind === "agent" ? agentBranch(strand.name ?? "", ++agents) : forkName(++forks);
        strand.branchId = taken.has(name) ? `${name}-${taken.size}` : name;
        taken.add(strand.branchId);
      }
      const thoughtNumber = strand.fork.thoughtNumber + 1;
      return { address: { branchId: strand.branchId, thoughtNumber }, fork: strand.fork };
    },
    counts: () => ({ branches: forks + agents + own(), agents: agents + own() }),
  };

  function own(): number {
    return begin && main.tip ? 1 : 0;
  }

  function forkName(count: number): string {
    return `${begin ? `${begin.branchId.slice(0, 50)}-` : ""}fork-${count}`;
  }
}

function newStrand(kind: Strand["kind"], fork: Address | undefined, name?: string): Strand {
  return { kind, name, branchId: undefined, fork, tip: undefined, interrupted: false };
}

/** Identifies the turn of an entry. Entries with only tool results or notices do not start a turn. */
function turnOf({ role, id, messageId, blocks, injected }: TranscriptEntry): string | undefined {
  if (injected || blocks.some(({ type }) => type === "tool_result")) return undefined;
  if (role === "assistant") return messageId ?? id;
  return role === "user" && blocks.some(({ type }) => type === "text") ? (id ?? "") : undefined;
}

/** Returns a branch ID for the thread of a sub-agent. */
export function agentBranch(name: string, count: number): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 40);
  return `agent-${plain === "" ? count : plain}`;
}
