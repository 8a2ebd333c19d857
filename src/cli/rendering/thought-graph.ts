import { runInTurns, type Steps, sortInSteps } from "../../kernel/steps.ts";
import { linkThoughts, type ThoughtLinks } from "../../operations/ledger/thought/thought-links.ts";
import type { Host } from "../host.ts";
import type { Paint, RenderContext } from "./render-context.ts";
import { cut, textWidth } from "./width.ts";
import { oneLine } from "./words.ts";

type Address = { branchId?: string | undefined; thoughtNumber: number };

type Entry = Awaited<ReturnType<Host["ledger"]["readEntries"]>>[number];

/** The part of a recorded thought that the commands show. */
export type ShownThought = Entry["data"] &
  Partial<ThoughtLinks> & {
    /** How many lines of code were written after the thought, and how many of them still exist. */
    lines?: { written: number; exist: number };
    remarks?: { starredAt?: string | undefined; comments: readonly { text: string; at: string }[] };
  };

const pageSize = 1_000;

/** Reads every thought in a session in order of arrival, with its links. */
export async function readThoughts(
  host: Host,
  sessionId: string,
  stop: AbortSignal,
): Promise<ShownThought[]> {
  const entries: Entry[] = [];
  for (;;) {
    stop.throwIfAborted();
    const page = await host.ledger.readEntries(sessionId, entries.at(-1)?.position ?? 0, pageSize);
    for (const entry of page) entries.push(host.forReader(entry));
    if (page.length < pageSize) break;
    await new Promise(setImmediate);
  }
  return runInTurns(linkThoughts(entries), stop);
}

type Shape = {
  chains: ReadonlyMap<string | undefined, ShownThought[]>;
  /** Maps each thought to the branches that fork from it. */
  forks: ReadonlyMap<string, string[]>;
  revisedBy: ReadonlyMap<string, Address[]>;
  /** Maps each thought to the one before it in its chain, or to the one that it forks from. */
  before: ReadonlyMap<string, string>;
};

/** Text keeps at least this width. Deeper branches are not indented further. */
const minText = 24;

/**
 * Draws the main line downwards, with every branch beside the thought it forks from:
 *
 *     ● 1  the first thought
 *     ├─╮ branch
 *     │ ● 2  another way
 *     ● 2  the second thought
 */
export function* renderThoughtGraph(
  thoughts: readonly ShownThought[],
  context: RenderContext,
): Steps<string[]> {
  const shape = yield* shapeOf(thoughts);
  const lines: string[] = [];
  // Uses an explicit stack, because branches may be nested thousands deep.
  const open = [startChain(shape, undefined, "")];
  for (let chain = open.at(-1); chain; chain = open.at(-1)) {
    yield;
    const { thoughts: chained, branches, rails, digits } = chain;
    const branch = branches[chain.nextBranch];
    const thought = chained[chain.nextThought];
    if (branch !== undefined) {
      chain.nextBranch += 1;
      const ends = thought === undefined && chain.nextBranch === branches.length;
      const fork = renderFork(branch, rails, ends, context);
      lines.push(fork.line);
      open.push(startChain(shape, branch, fork.rails));
    } else if (thought) {
      lines.push(renderThought(shape, thought, rails, digits, context));
      const isLast = chain.nextThought + 1 === chained.length;
      const rail = isLast && !shape.forks.has(keyOf(thought)) ? rails : `${rails}│`;
      lines.push(...renderComments(thought, rail, rails.length + 4 + digits, context));
      chain.nextThought += 1;
      chain.branches = shape.forks.get(keyOf(thought)) ?? [];
      chain.nextBranch = 0;
    } else open.pop();
  }
  return lines;
}

/** A chain that is being drawn, with the branches of the most recently drawn thought. */
type Chain = {
  thoughts: readonly ShownThought[];
  nextThought: number;
  branches: readonly string[];
  nextBranch: number;
  rails: string;
  digits: number;
};

function startChain(shape: Shape, branchId: string | undefined, rails: string): Chain {
  const thoughts = shape.chains.get(branchId) ?? [];
  const digits = String(thoughts.at(-1)?.thoughtNumber ?? 0).length;
  return { thoughts, nextThought: 0, branches: [], nextBranch: 0, rails, digits };
}

function renderFork(
  branchId: string,
  rails: string,
  ends: boolean,
  { paint, width }: RenderContext,
): { line: string; rails: string } {
  const inner = `${rails}${ends ? "  " : "│ "}`;
  const deeper = inner.length + minText < width;
  const name = cut(branchId, Math.max(8, width - rails.length - 4));
  return {
    line: `${paint.dim(`${rails}${ends ? "╰─╮" : "├─╮"}`)} ${paint.magenta(name)}`,
    rails: deeper ? inner : rails,
  };
}

function renderThought(
  shape: Shape,
  thought: ShownThought,
  rails: string,
  digits: number,
  context: RenderContext,
): string {
  const { paint, width } = context;
  const replaced = shape.revisedBy.has(keyOf(thought));
  const notes = describeLinks(shape, thought);
  const number = String(thought.thoughtNumber).padStart(digits);
  const note = cut(notes, Math.max(8, Math.floor(width / 3)));
  const used = rails.length + 2 + digits + 2 + (note === "" ? 0 : textWidth(note) + 2);
  const text = cut(oneLine(thought.thought), Math.max(8, width - used));
  const left = replaced || thought.rejected;
  return [
    `${paint.dim(rails)}${dotOf(thought, replaced, paint)} ${paint.bold(number)}  ${left ? paint.dim(text) : text}`,
    ...(note === "" ? [] : [paint.yellow(note)]),
  ].join("  ");
}

/**
 * Renders each comment by a person on one line, below the thought. The `read` command shows comments in full.
 */
function renderComments(
  { remarks }: ShownThought,
  rail: string,
  indent: number,
  { paint, width }: RenderContext,
): string[] {
  return (remarks?.comments ?? []).map(({ text }) => {
    const shown = cut(`“${oneLine(text)}”`, Math.max(8, width - indent));
    return `${paint.dim(rail.padEnd(indent))}${paint.cyan(shown)}`;
  });
}

function dotOf(thought: ShownThought, replaced: boolean, paint: Paint): string {
  if (thought.rejected) return paint.red("✗");
  if (revisedOf(thought).length > 0) return paint.yellow("◆");
  return replaced ? paint.dim("○") : paint.green("●");
}

const signs = { rejects: "✗", revises: "↺", against: "⊖", supports: "⊕", rests_on: "←" } as const;

/** Lists the thought's links, most serious first. A link to the previous thought is implied and not shown. */
function describeLinks(shape: Shape, thought: ShownThought): string {
  const { links = [], rejectedBy = [], branchId, lines, remarks } = thought;
  const before = shape.before.get(keyOf(thought));
  const said = Object.entries(signs).flatMap(([relation, sign]) => {
    const named =
      relation === "revises"
        ? revisedOf(thought)
        : links.flatMap(({ relation: own, to }) => (own === relation ? [to] : []));
    const shown = relation === "rests_on" ? named.filter((place) => keyOf(place) !== before) : named;
    return shown.length > 0 ? [`${sign} ${list(shown, branchId)}`] : [];
  });
  const gone = [...(shape.revisedBy.get(keyOf(thought)) ?? []), ...rejectedBy];
  return [
    ...(remarks?.starredAt === undefined ? [] : ["★"]),
    ...said,
    ...(gone.length > 0 ? [`→ ${list(gone, branchId)}`] : []),
    ...(lines ? [`± ${lines.exist}/${lines.written}`] : []),
  ].join("  ");
}

function revisedOf({ revises, links = [] }: ShownThought): Address[] {
  const named = links.flatMap(({ relation, to }) => (relation === "revises" ? [to] : []));
  return revises && !named.some((place) => keyOf(place) === keyOf(revises)) ? [revises, ...named] : named;
}

const list = (places: readonly Address[], from: string | undefined): string =>
  places.map((place) => describe(place, from)).join(", ");

/** Returns the address of a thought. Omits the name of the chain if it is `from`. */
function describe({ branchId, thoughtNumber }: Address, from: string | undefined): string {
  return branchId === from ? `${thoughtNumber}` : `${branchId ?? "main"} ${thoughtNumber}`;
}

export const keyOf = ({ branchId = "", thoughtNumber }: Address): string => `${branchId}:${thoughtNumber}`;

function* shapeOf(thoughts: readonly ShownThought[]): Steps<Shape> {
  const chains = new Map<string | undefined, ShownThought[]>();
  const forks = new Map<string, string[]>();
  const revisedBy = new Map<string, Address[]>();
  for (const thought of thoughts) {
    const { branchId, branchFromThought, branchFromBranch } = thought;
    add(chains, branchId, thought);
    if (branchId !== undefined && branchFromThought !== undefined)
      add(forks, keyOf({ branchId: branchFromBranch, thoughtNumber: branchFromThought }), branchId);
    for (const place of revisedOf(thought)) add(revisedBy, keyOf(place), thought);
    yield;
  }
  for (const [branchId, chain] of chains)
    chains.set(branchId, yield* sortInSteps(chain, (a, b) => a.thoughtNumber - b.thoughtNumber));
  return { chains, forks, revisedBy, before: yield* precedingOf(chains) };
}

function* precedingOf(chains: Shape["chains"]): Steps<Map<string, string>> {
  const before = new Map<string, string>();
  for (const [branchId, chain] of chains) {
    const first = branchId === undefined ? undefined : chain.find((one) => one.branchFromThought);
    const { branchFromThought, branchFromBranch } = first ?? {};
    let previous: Address | undefined =
      branchFromThought === undefined
        ? undefined
        : { branchId: branchFromBranch, thoughtNumber: branchFromThought };
    for (const thought of chain) {
      if (previous) before.set(keyOf(thought), keyOf(previous));
      previous = thought;
      yield;
    }
  }
  return before;
}

function add<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
