import type { ThoughtRelation } from "../analysis/cipher-graph.ts";
import type { SessionShape } from "../analysis/session-shape.ts";
import { type Address, nodeId } from "../ledger/thought.ts";

const maxNodes = 150;
const maxEdges = 400;

const arrows: Record<ThoughtRelation, string> = {
  rests_on: "-. rests on .->",
  supports: "-. supports .->",
  against: "-. against .-x",
  revises: "-. revises .->",
  rejects: "-. rejects .-x",
};

/**
 * Returns the session as a Mermaid graph. Solid arrows follow the chains, and dotted arrows show references
 * between thoughts.
 */
export function mermaidGraph(shape: SessionShape): string[] {
  const { thoughts, graph } = shape;
  if (thoughts.length > maxNodes) return [`${thoughts.length} thoughts: too many to draw.`];
  const names = new Map(thoughts.map(({ data }, index) => [key(data), `t${index + 1}`]));
  const arrow = (from: Address, to: Address, line: string) => {
    const [start, end] = [names.get(key(from)), names.get(key(to))];
    return start && end ? [`  ${start} ${line} ${end}`] : [];
  };
  const steps = stepsAlong(shape);
  const along = steps.flatMap(({ from, to }) => arrow(from, to, "-->"));
  const drawn = new Set(steps.map(({ from, to }) => `${key(to)} ${key(from)}`));
  const typed = graph.edges
    .filter(({ from, to, relation }) => relation !== "rests_on" || !drawn.has(`${key(from)} ${key(to)}`))
    .slice(0, maxEdges)
    .flatMap(({ from, to, relation }) => arrow(from, to, arrows[relation]));
  const rejected = thoughts.flatMap(({ data }) => (graph.isRejected(data) ? [names.get(key(data))] : []));
  return [
    "```mermaid",
    "graph LR",
    ...thoughts.map(({ data }) => `  ${names.get(key(data))}["${label(data, graph.typesOf(data))}"]`),
    ...along,
    ...typed,
    ...(rejected.length > 0
      ? ["  classDef rejected stroke-dasharray:4 3,opacity:0.6", `  class ${rejected.join(",")} rejected`]
      : []),
    "```",
  ];
}

/**
 * Returns the arrows from each thought to the next in its chain, and from a fork to the first thought of its branch.
 */
function stepsAlong({ chains }: SessionShape): { from: Address; to: Address }[] {
  return [...chains.values()].flatMap(({ branchId, fork, numbers }) =>
    numbers.flatMap((thoughtNumber, index) => {
      const before = numbers[index - 1];
      const from = before === undefined ? fork : { branchId, thoughtNumber: before };
      return from ? [{ from, to: { branchId, thoughtNumber } }] : [];
    }),
  );
}

const key = ({ branchId, thoughtNumber }: Address): string => nodeId("", { branchId, thoughtNumber });

const label = ({ branchId, thoughtNumber }: Address, types: readonly string[]): string =>
  [...(branchId === undefined ? [] : [branchId]), thoughtNumber, ...types].join(" ");
