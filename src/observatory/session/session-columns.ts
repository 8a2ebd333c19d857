import { createRejections, type Link } from "../../domain/analysis/rejections.ts";
import { createStandings } from "../../domain/analysis/standing.ts";
import { parseCipher } from "../../domain/cipher/parse.ts";
import type { Address, ChainedThought, Thought } from "../../domain/ledger/thought.ts";
import { readDecisionThought } from "../../domain/memory/decisions/decision.ts";
import { clip } from "../../kernel/text.ts";
import { type LinkRelation, skeletonMarks, type ThoughtLink, type ThoughtType } from "../wire.ts";

/**
 * Returns the type of the first cipher step. If the thought is not written in cipher, a recorded decision is
 * a conclusion, and any other text is prose.
 */
export const typeOfThought = ({ cipher, thought }: Thought): ThoughtType =>
  (cipher?.[0]?.type ?? (readDecisionThought(thought) ? "C" : "N")) as ThoughtType;

/** How a thought relates to others in its session. Numbers that refer to thoughts are positions, 0 for none. */
export type ThoughtPlace = {
  position: number;
  seq: number;
  thoughtNumber: number;
  chain: number;
  parent: number;
  revises: number;
  type: ThoughtType;
  time: number;
  marks: number;
  links: readonly ThoughtLink[];
  /** True if a person wrote the thought, according to the transcript. */
  byUser: boolean;
};

type Chain = { id: string | undefined; fork: number; last: number; at: Map<number, number> };

const noLinks: readonly ThoughtLink[] = [];
export const longestLine = 240;
const longestEnding = 600;

/** Returns the end of a text, starting with a whole word. */
const clipFront = (text: string, max: number): string =>
  text.length <= max ? text : text.slice(-max).replace(/^\S*\s/, "");
/** Types whose first words appear in lists: conclusions, plans, questions and rejections. */
const toldTypes = "CPQX";
const maxAgents = 8;
/** Text below this length is checked for secrets when it is shown, because most lines are never shown. */
const checkedLater = 2_000;

/** The most links per thought. A hostile text could contain thousands. */
const maxLinks = 64;

const relations: Record<Link["relation"], LinkRelation> = {
  rests_on: "rests_on",
  supports: "supports",
  against: "contradicts",
  rejects: "rejects",
  revises: "revises",
};

/**
 * Reads each thought's links to earlier ones from its cipher, with the same rule as the rest of the ledger. Pass
 * thoughts in order of arrival. `find` turns an address into a position, or 0 if there is none.
 */
export function createCipherLinks(find: (address: Address) => number) {
  const rejections = createRejections();
  return {
    /** Links that start at other thoughts are last. */
    read(data: Thought): ThoughtLink[] {
      const steps = data.cipher ? (parseCipher(data.thought)?.steps ?? []) : [];
      const links = new Map<string, ThoughtLink>();
      for (const link of rejections.add(data, steps, steps)) {
        const isOwn = link.from.branchId === data.branchId && link.from.thoughtNumber === data.thoughtNumber;
        const [from, to, relation] = [isOwn ? 0 : find(link.from), find(link.to), relations[link.relation]];
        if (to === 0 || from === to || (from === 0 && !isOwn)) continue;
        links.set(`${from} ${relation} ${to}`, { relation, to, ...(from > 0 && { from }) });
      }
      const all = [...links.values()];
      const isRelayed = ({ from }: ThoughtLink) => from !== undefined;
      return [...all.filter((link) => !isRelayed(link)), ...all.filter(isRelayed)].slice(0, maxLinks);
    },
    isRejected: rejections.isRejected,
  };
}

/**
 * Keeps the thoughts of a session in order of arrival, without their text. A thought's place depends only on
 * earlier ones, so a thought that is already shown never moves. `lineAt` returns the beginnings of the
 * thoughts that a story needs.
 */
export function createSessionColumns(sessionId: string, mask: (text: string) => string) {
  const main: Chain = { id: undefined, fork: 0, last: 0, at: new Map() };
  const chains: Chain[] = [main];
  const chainNumbers = new Map<string | undefined, number>([[undefined, 0]]);
  const places: ThoughtPlace[] = [];
  const lines = new Map<number, { text: string; isChecked: boolean }>();
  const agents = new Set<string>();
  const answered = new Set<number>();
  const authors = new Map<number, string>();
  let newest: { text: string } | { beginning: string; ending: string } = { text: "" };
  /** Masks the newest text when it is first read, and then keeps only a part of it. */
  const readNewest = () => {
    if ("text" in newest) {
      const shown = mask(newest.text);
      newest = { beginning: clip(shown, longestLine), ending: clipFront(shown, longestEnding) };
    }
    return newest;
  };
  const beginning = (text: string) => ({ text: clip(mask(text), longestLine), isChecked: true });

  const find = ({ branchId, thoughtNumber }: Address): number => {
    const number = chainNumbers.get(branchId);
    return (number === undefined ? undefined : chains[number]?.at.get(thoughtNumber)) ?? 0;
  };

  const cipherLinks = createCipherLinks(find);
  const standings = createStandings<number>((position) => {
    const place = places[position - 1];
    return place !== undefined && cipherLinks.isRejected(addressAt(place));
  });

  function addressAt({ chain, thoughtNumber }: ThoughtPlace): Address {
    return { branchId: (chains[chain] ?? main).id, thoughtNumber };
  }

  function chainOf({ branchId, branchFromThought, branchFromBranch }: Thought): number {
    const known = chainNumbers.get(branchId);
    if (known !== undefined) return known;
    const fork = find({ branchId: branchFromBranch, thoughtNumber: branchFromThought ?? 0 });
    chains.push({ id: branchId, fork, last: fork, at: new Map() });
    chainNumbers.set(branchId, chains.length - 1);
    return chains.length - 1;
  }

  function keepForStory(place: ThoughtPlace, { thought, agentId }: Thought): void {
    const isTold =
      place.position === 1 ||
      toldTypes.includes(place.type) ||
      place.links.some(({ relation }) => relation === "contradicts");
    const unchecked = { text: thought, isChecked: false };
    if (isTold) lines.set(place.position, thought.length > checkedLater ? beginning(thought) : unchecked);
    newest = { text: thought };
    if (place.revises > 0) {
      standings.add(place.position, place.revises, "revises");
      answered.add(place.revises);
    }
    for (const { relation, to, from = place.position } of place.links) {
      if (relation === "revises") standings.add(from, to, "revises");
      if (relation === "contradicts") standings.add(from, to, "against");
      answered.add(to);
    }
    if (agentId === undefined) return;
    if (isTold) authors.set(place.position, agentId);
    if (agents.size < maxAgents) agents.add(agentId);
  }

  return {
    sessionId,
    get size(): number {
      return places.length;
    },
    /** Entries must arrive in order and without gaps. Adding a known entry again does nothing. */
    add({ seq, position, data }: ChainedThought): void {
      if (position <= places.length) return;
      const chain = chainOf(data);
      const line = chains[chain] ?? main;
      const named = cipherLinks.read(data);
      const revised = named.find(({ relation, from }) => relation === "revises" && from === undefined)?.to;
      const revises = (data.revises ? find(data.revises) : revised) ?? 0;
      const links = named.filter(({ relation, to }) => relation !== "revises" || to !== revises);
      const place: ThoughtPlace = {
        position,
        seq,
        thoughtNumber: data.thoughtNumber,
        chain,
        parent: line.last,
        revises,
        type: typeOfThought(data),
        time: Date.parse(data.timestamp),
        marks: marksOf(data),
        links: links.length > 0 ? links : noLinks,
        byUser: data.agentId === "user",
      };
      places.push(place);
      line.last = position;
      line.at.set(data.thoughtNumber, position);
      keepForStory(place, data);
    },
    at: (position: number): ThoughtPlace | undefined => places[position - 1],
    slice: (from: number, to: number): readonly ThoughtPlace[] => places.slice(from - 1, to),
    find,
    /** Returns the line with this number. `id` is `undefined` for the main line. */
    chain: (number: number): { id: string | undefined; fork: number } => chains[number] ?? main,
    /** Returns branches whose first thought is between two positions, inclusive. */
    branchesBegun: (from: number, to: number): { id: string; fork: number }[] =>
      chains.flatMap(({ id, fork, at }) => {
        const [first = 0] = at.values();
        return id !== undefined && first >= from && first <= to ? [{ id, fork }] : [];
      }),
    markCritique(position: number): void {
      const place = places[position - 1];
      if (place) place.marks |= skeletonMarks.critique;
    },
    /** True if a branch ends in a rejection. The main line is never a dead end. */
    isDeadEnd: (chain: number): boolean => chain > 0 && places[(chains[chain]?.last ?? 0) - 1]?.type === "X",
    standingOf: standings.of,
    /** True if a later thought replaces or rejects this one. */
    isDropped: standings.isDropped,
    /** True if a later thought refers to this one. */
    isAnswered: (position: number): boolean => answered.has(position),
    /** Returns the positions of the first thought and of those shown in lists. */
    told: () => lines.keys(),
    /** Returns the beginning of a thought that `told` lists, or an empty string for any other. */
    lineAt(position: number): string {
      const line = lines.get(position);
      if (!line || line.isChecked) return line?.text ?? "";
      const checked = beginning(line.text);
      lines.set(position, checked);
      return checked.text;
    },
    /** Returns the beginning of the newest thought. */
    get newest(): string {
      return readNewest().beginning;
    },
    /**
     * The end of the newest thought. If the thought is prose, its last sentence shows how the session ended.
     */
    get ending(): string {
      return readNewest().ending;
    },
    /** Returns the author of a thought in `told`, if known. */
    authorOf: (position: number): string | undefined => authors.get(position),
    agents: agents as ReadonlySet<string>,
  };
}

export type SessionColumns = ReturnType<typeof createSessionColumns>;

function marksOf({ critique, nextThoughtNeeded, cipher }: Thought): number {
  return (
    (critique ? skeletonMarks.critique : 0) |
    (nextThoughtNeeded ? 0 : skeletonMarks.noNextThought) |
    ((cipher?.length ?? 0) > 1 ? skeletonMarks.severalSteps : 0)
  );
}
