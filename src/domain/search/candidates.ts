import type { SessionFacts, TextPlace } from "./source.ts";

/** A candidate: a text, or a session by its heading. */
export type Candidate = {
  /** Undefined for a session. */
  seq: number | undefined;
  group: Group;
  position: number;
  size: number;
  /** The words it contains, as a bit mask. */
  mask: number;
  score: number;
  /** Breaks ties. A session sorts before all texts. */
  arrival: number;
};

/** The candidates of one session. A text without a session forms its own group. */
export type Group = {
  sid: number | undefined;
  texts: Candidate[];
  byPosition: Map<number, Candidate>;
  heading: Candidate | undefined;
  /** For each word, how many texts of the session contain it, including its heading. */
  holders: number[];
  /** How many texts the session has. Undefined without a session. */
  length: number | undefined;
  created: string;
  best: number;
};

/** Larger than any session number. */
const beforeTexts = 2 ** 52;

/** Collects candidates. A text found again only gains words. `words` is the number of words in the question. */
export function createCandidates(words: number) {
  const bySeq = new Map<number, Candidate>();
  /** Texts without a session are keyed by their negative seq. */
  const groups = new Map<number, Group>();

  function groupOf(key: number, sid: number | undefined, created: string): Group {
    const known = groups.get(key);
    if (known) return known;
    const group: Group = {
      sid,
      texts: [],
      byPosition: new Map(),
      heading: undefined,
      holders: new Array<number>(words).fill(0),
      length: undefined,
      created,
      best: 0,
    };
    groups.set(key, group);
    return group;
  }

  return {
    texts: () => bySeq.values(),
    groups: () => groups.values(),
    count: () => bySeq.size,
    add({ seq, sid, position, size, created = "" }: TextPlace, mask: number): void {
      let text = bySeq.get(seq);
      if (!text) {
        const group = groupOf(sid ?? -seq, sid, created);
        text = { seq, group, position, size, mask: 0, score: 0, arrival: seq };
        bySeq.set(seq, text);
        group.texts.push(text);
        group.byPosition.set(position, text);
      }
      learn(text, mask);
    },
    addHeading(sid: number, bit: number): void {
      const group = groupOf(sid, sid, "");
      group.heading ??= {
        seq: undefined,
        group,
        position: 0,
        size: 0,
        mask: 0,
        score: 0,
        arrival: sid - beforeTexts,
      };
      learn(group.heading, bit);
    },
    /** What a store knows about a session. A deleted one has no heading. */
    describe({ sid, texts, created }: SessionFacts): void {
      const group = groups.get(sid);
      if (!group) return;
      group.length = texts;
      group.created = created;
    },
  };
}

export type Candidates = ReturnType<typeof createCandidates>;

function learn(candidate: Candidate, mask: number): void {
  const { holders } = candidate.group;
  for (let fresh = mask & ~candidate.mask; fresh !== 0; fresh &= fresh - 1) {
    const word = 31 - Math.clz32(fresh & -fresh);
    holders[word] = (holders[word] ?? 0) + 1;
  }
  candidate.mask |= mask;
}
