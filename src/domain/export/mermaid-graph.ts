import type { SessionShape } from "../analysis/session-shape.ts";
import type { Address } from "../ledger/address.ts";
import type { ChainedThought } from "../ledger/thought.ts";

/** Beyond this a drawing tells nobody anything. */
const mostNodes = 150;

/** The session as a Mermaid graph: arrows follow the chains, dotted ones point at what was corrected. */
export function mermaidGraph({ thoughts, chains }: SessionShape): string[] {
  if (thoughts.length > mostNodes) return [`${thoughts.length} thoughts: too many to draw.`];
  const names = new Map(thoughts.map(({ data }, index) => [key(data), `t${index + 1}`]));
  const arrow = (from: Address, to: Address, line: string) => {
    const [start, end] = [names.get(key(from)), names.get(key(to))];
    return start && end ? [`  ${start} ${line} ${end}`] : [];
  };
  const along = [...chains.values()].flatMap(({ branchId, fork, numbers }) =>
    numbers.flatMap((thoughtNumber, index) => {
      const before = numbers[index - 1];
      const from = before === undefined ? fork : { branchId, thoughtNumber: before };
      return from ? arrow(from, { branchId, thoughtNumber }, "-->") : [];
    }),
  );
  const corrections = thoughts.flatMap(({ data }) =>
    data.revises ? arrow(data, data.revises, "-. revises .->") : [],
  );
  return [
    "```mermaid",
    "graph LR",
    ...thoughts.map((entry) => `  ${names.get(key(entry.data))}["${label(entry)}"]`),
    ...along,
    ...corrections,
    "```",
  ];
}

const key = ({ branchId, thoughtNumber }: Address): string => `${branchId ?? ""}:${thoughtNumber}`;

const label = ({ data: { branchId, thoughtNumber } }: ChainedThought): string =>
  branchId === undefined ? `${thoughtNumber}` : `${branchId} ${thoughtNumber}`;
