import type { ShownThought } from "../session-thoughts.ts";
import type { RenderContext } from "./render-context.ts";
import { cut, textWidth } from "./width.ts";
import { oneLine } from "./words.ts";

type Place = { branchId?: string | undefined; thoughtNumber: number };
type Shape = {
  chains: ReadonlyMap<string | undefined, ShownThought[]>;
  /** Branches by the thought that they leave. */
  forks: ReadonlyMap<string, string[]>;
  revisedBy: ReadonlyMap<string, Place[]>;
};

/** Text keeps at least this much; branches that lie deeper are no longer indented. */
const leastText = 24;

/**
 * The main line downwards, every branch beside the thought that it leaves:
 *
 *     ● 1  the first thought
 *     ├─╮ branch
 *     │ ● 2  another way
 *     ● 2  the second thought
 */
export function renderThoughtGraph(thoughts: readonly ShownThought[], context: RenderContext): string[] {
  const shape = shapeOf(thoughts);
  return renderChain(shape, undefined, "", context);
}

function renderChain(
  shape: Shape,
  branchId: string | undefined,
  rails: string,
  context: RenderContext,
): string[] {
  const chain = shape.chains.get(branchId) ?? [];
  const digits = String(chain.at(-1)?.thoughtNumber ?? 0).length;
  return chain.flatMap((thought, index) => {
    const isLast = index === chain.length - 1;
    const branches = shape.forks.get(keyOf(thought)) ?? [];
    return [
      renderThought(shape, thought, rails, digits, context),
      ...branches.flatMap((branch, which) => {
        const ends = isLast && which === branches.length - 1;
        return renderBranch(shape, branch, rails, ends, context);
      }),
    ];
  });
}

function renderBranch(
  shape: Shape,
  branchId: string,
  rails: string,
  ends: boolean,
  context: RenderContext,
): string[] {
  const { paint, width } = context;
  const inner = `${rails}${ends ? "  " : "│ "}`;
  const deeper = inner.length + leastText < width;
  const name = cut(branchId, Math.max(8, width - rails.length - 4));
  return [
    `${paint.dim(`${rails}${ends ? "╰─╮" : "├─╮"}`)} ${paint.magenta(name)}`,
    ...renderChain(shape, branchId, deeper ? inner : rails, context),
  ];
}

function renderThought(
  shape: Shape,
  thought: ShownThought,
  rails: string,
  digits: number,
  context: RenderContext,
): string {
  const { paint, width } = context;
  const corrections = shape.revisedBy.get(keyOf(thought)) ?? [];
  const replaced = corrections.length > 0;
  const notes = [
    ...(thought.revises ? [`↺ ${describe(thought.revises, thought.branchId)}`] : []),
    ...(replaced ? [`→ ${corrections.map((place) => describe(place, thought.branchId)).join(", ")}`] : []),
  ].join("  ");
  const number = String(thought.thoughtNumber).padStart(digits);
  const note = cut(notes, Math.max(8, Math.floor(width / 3)));
  const used = rails.length + 2 + digits + 2 + (note === "" ? 0 : textWidth(note) + 2);
  const text = cut(oneLine(thought.thought), Math.max(8, width - used));
  const dot = thought.revises ? paint.yellow("◆") : replaced ? paint.dim("○") : paint.green("●");
  return [
    `${paint.dim(rails)}${dot} ${paint.bold(number)}  ${replaced ? paint.dim(text) : text}`,
    ...(note === "" ? [] : [paint.yellow(note)]),
  ].join("  ");
}

/** A number alone means the same chain. */
function describe({ branchId, thoughtNumber }: Place, from: string | undefined): string {
  return branchId === from ? `${thoughtNumber}` : `${branchId ?? "main"} ${thoughtNumber}`;
}

const keyOf = ({ branchId = "", thoughtNumber }: Place): string => `${branchId}:${thoughtNumber}`;

function shapeOf(thoughts: readonly ShownThought[]): Shape {
  const chains = new Map<string | undefined, ShownThought[]>();
  const forks = new Map<string, string[]>();
  const revisedBy = new Map<string, Place[]>();
  for (const thought of thoughts) {
    const { branchId, branchFromThought, branchFromBranch, revises } = thought;
    add(chains, branchId, thought);
    if (branchId !== undefined && branchFromThought !== undefined)
      add(forks, keyOf({ branchId: branchFromBranch, thoughtNumber: branchFromThought }), branchId);
    if (revises) add(revisedBy, keyOf(revises), thought);
  }
  for (const chain of chains.values()) chain.sort((a, b) => a.thoughtNumber - b.thoughtNumber);
  return { chains, forks, revisedBy };
}

function add<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
