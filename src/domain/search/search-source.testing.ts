import { createTermFinder, type FindTerms } from "./find-terms.ts";
import type { Term } from "./question.ts";
import type { RankSource } from "./source.ts";

/** A session, as its heading and a list of texts. */
export type Shelf = {
  title?: string;
  description?: string;
  tags?: string[];
  created?: string;
  texts: readonly string[];
};

type Stored = { seq: number; sid: number | undefined; position: number; text: string };

export function createTestSource(shelves: readonly Shelf[], notes: readonly string[] = []) {
  const stored: Stored[] = [];
  const noon = "2026-01-01T12:00:00.000Z";
  for (const [sid, { texts }] of shelves.entries())
    for (const [n, text] of texts.entries())
      stored.push({ seq: stored.length + 1, sid, position: n + 1, text });
  for (const text of notes) stored.push({ seq: stored.length + 1, sid: undefined, position: 1, text });

  const asked: Record<keyof RankSource, number> = {
    extent: 0,
    newest: 0,
    both: 0,
    places: 0,
    sessions: 0,
    within: 0,
    texts: 0,
  };
  const finders = new Map<Term, FindTerms>();
  const holds = (text: string, word: Term): boolean => {
    const find = finders.get(word) ?? createTermFinder([word]);
    finders.set(word, find);
    return !find(text).next().done;
  };
  const placeOf = ({ text, ...place }: Stored) => ({ ...place, size: text.length, created: noon });
  const headingOf = (sid: number) => {
    const { title = "", description = "", tags = [] } = shelves[sid] ?? { texts: [] };
    return { sid, title, description, tags: tags.join(" ") };
  };
  const newestFirst = (kept: readonly Stored[]) => kept.map(({ seq }) => seq).reverse();

  const source: RankSource = {
    async extent() {
      asked.extent += 1;
      return { texts: stored.length, sessions: shelves.length + notes.length, first: 1, last: stored.length };
    },
    async newest(word, max) {
      asked.newest += 1;
      const headings = [...shelves.keys()].filter((sid) => {
        const { title, description, tags } = headingOf(sid);
        return [title, description, tags].some((text) => holds(text, word));
      });
      return {
        texts: newestFirst(stored.filter(({ text }) => holds(text, word))).slice(0, max.texts),
        headings: headings.reverse().slice(0, max.headings),
      };
    },
    async both(one, other, max) {
      asked.both += 1;
      return newestFirst(stored.filter(({ text }) => holds(text, one) && holds(text, other))).slice(0, max);
    },
    async places(seqs) {
      asked.places += 1;
      return seqs.flatMap((seq) => stored[seq - 1] ?? []).map(placeOf);
    },
    async sessions(sids) {
      asked.sessions += 1;
      return sids.map((sid) => ({
        sid,
        texts: shelves[sid]?.texts.length ?? 0,
        created: shelves[sid]?.created ?? noon,
      }));
    },
    async within(sids, words) {
      asked.within += 1;
      const inside = stored.filter(({ sid }) => sid !== undefined && sids.includes(sid));
      return words.map((word) => inside.filter(({ text }) => holds(text, word)).map(placeOf));
    },
    async texts(seqs, sids) {
      asked.texts += 1;
      return {
        texts: seqs.map((seq) => ({ seq, text: stored[seq - 1]?.text ?? "" })),
        headings: sids.map(headingOf),
      };
    },
  };
  return { source, asked, textOf: (seq: number | undefined) => stored[(seq ?? 0) - 1]?.text };
}
