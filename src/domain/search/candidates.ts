import type { SessionFacts, TextPlace } from "./source.ts";
import type { WordList } from "./word-lists.ts";

/** A text that came into question. */
export type Candidate = TextPlace & { mask: number; score: number };

/** The texts of one session that came into question; a text that stands by itself is alone in its group. */
export type Group = {
  sid: number | undefined;
  byPosition: Map<number, Candidate>;
  /** For each word how many texts of the session hold it, its heading included. */
  holders: Map<number, number>;
  headingMask: number;
  /** How many texts the session has; undefined where there is no session. */
  texts: number | undefined;
  created: string;
  best: number;
};

/** Gathers texts as they are found; a text that is found again only gains words. */
export function createCandidates(lists: readonly WordList[]) {
  const bySeq = new Map<number, Candidate>();
  const groups = new Map<string, Group>();

  function groupOf(sid: number | undefined, seq: number, created: string): Group {
    const key = sid === undefined ? `text ${seq}` : `session ${sid}`;
    const known = groups.get(key);
    if (known) return known;
    const group: Group = {
      sid,
      byPosition: new Map(),
      holders: new Map(),
      headingMask: 0,
      texts: undefined,
      created,
      best: 0,
    };
    groups.set(key, group);
    return group;
  }

  const count = (group: Group, fresh: number) => {
    for (const { bit } of lists) if (fresh & bit) group.holders.set(bit, (group.holders.get(bit) ?? 0) + 1);
  };

  return {
    texts: () => [...bySeq.values()],
    groups: () => [...groups.values()],
    add(place: TextPlace, mask: number): void {
      const group = groupOf(place.sid, place.seq, place.time);
      let text = bySeq.get(place.seq);
      if (!text) {
        text = { ...place, mask: 0, score: 0 };
        bySeq.set(place.seq, text);
        group.byPosition.set(place.position, text);
      }
      count(group, mask & ~text.mask);
      text.mask |= mask;
    },
    addHeading(sid: number, bit: number): void {
      const group = groupOf(sid, 0, "");
      count(group, bit & ~group.headingMask);
      group.headingMask |= bit;
    },
    describe({ sid, texts, created }: SessionFacts): void {
      const group = groups.get(`session ${sid}`);
      if (group) Object.assign(group, { texts, created });
    },
  };
}

export type Candidates = ReturnType<typeof createCandidates>;
