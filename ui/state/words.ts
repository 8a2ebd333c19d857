import type { CellAnswer, ShareAnswer, ThoughtAnswer, ThoughtsAnswer } from "../../src/observatory/wire.ts";
import { type CellLink, cellLink } from "../text/cell-link.ts";
import type { Get } from "./http.ts";
import type { OpenSession } from "./session.ts";
import type { Thought } from "./thought.ts";

/** The content of a shared file. */
export type Shared = ShareAnswer;
export type Cell = CellAnswer;
export type WholeThought = { thought: Thought; hash?: string };

/** The source of a session's text: the server, or the shared file that contains it. */
export type Words = {
  /** Requests the missing text of thoughts `from` to `to`. */
  want: (from: number, to: number) => void;
  /** Loads one thought with its full text. */
  whole: (index: number, signal?: AbortSignal) => Promise<WholeThought | undefined>;
  /** Loads the notebook cell that a thought links to, or `undefined` if it cannot be read. */
  cell: (link: CellLink, signal?: AbortSignal) => Promise<Cell | undefined>;
};

const RANGE = 500;

/** Loads text by range, each range once. */
export function createWords(session: OpenSession, get: Get): Words {
  const asked = new Set<number>();
  const path = `/api/sessions/${encodeURIComponent(session.id)}/thoughts`;

  async function fetchRange(range: number) {
    let from = range * RANGE + 1;
    const to = Math.min(from + RANGE - 1, session.columns.peek().size);
    while (from <= to) {
      const fetched = await get<ThoughtsAnswer>(path, { from, to });
      if ("failed" in fetched || fetched.answer.thoughts.length === 0) {
        asked.delete(range);
        return;
      }
      session.setWords(fetched.answer.thoughts);
      from = fetched.answer.to + 1;
    }
  }

  return {
    want(from, to) {
      const { text, size } = session.columns.peek();
      const last = Math.floor(Math.min(to, size - 1) / RANGE);
      for (let range = Math.max(0, Math.floor(from / RANGE)); range <= last; range++) {
        if (asked.has(range)) continue;
        const end = Math.min((range + 1) * RANGE, size);
        let isMissing = false;
        for (let i = range * RANGE; i < end && !isMissing; i++) isMissing = text[i] === undefined;
        if (!isMissing) continue;
        asked.add(range);
        void fetchRange(range);
      }
    },
    async whole(index, signal) {
      const { chain, chains, number } = session.columns.peek();
      const branch = chains[chain[index] ?? 0]?.id;
      const fetched = await get<ThoughtAnswer>(`${path}/${number[index]}`, { branch }, signal);
      return "answer" in fetched ? fetched.answer : undefined;
    },
    async cell({ notebookId: notebook, cellId, version, run, sessionId }, signal) {
      const of = `/api/sessions/${encodeURIComponent(session.id)}/cells/${encodeURIComponent(cellId)}`;
      const fetched = await get<CellAnswer>(of, { notebook, version, run, session: sessionId }, signal);
      return "answer" in fetched ? fetched.answer : undefined;
    },
  };
}

/** Returns the text of a complete session, with the cells it links to. */
export const localWords = (session: OpenSession, cells: Shared["cells"] = {}): Words => ({
  want: () => undefined,
  whole: async (index) => {
    const thought = session.records.get(index);
    return thought && { thought };
  },
  cell: async (link) => {
    const address = cellLink(link);
    return Object.hasOwn(cells, address) ? cells[address] : undefined;
  },
});

/** Loads everything for a shared file. The server masks secrets. */
export async function fetchShare(get: Get, id: string): Promise<ShareAnswer | undefined> {
  const fetched = await get<ShareAnswer>(`/api/sessions/${encodeURIComponent(id)}/share`);
  return "answer" in fetched ? fetched.answer : undefined;
}
